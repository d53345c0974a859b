/* The binary of an FMU: FMI 2.0 for co-simulation, without headers of others.
 *
 * It computes nothing. Each instance starts a Python process of its own (`python -m limbless.interop.logs.fmu_process`)
 * and speaks with it through a socket, so that the host's process holds no Python and no compiled kernels. A request is
 * one letter and its numbers; an answer is 0 and the outputs, or 1 and a message. All numbers are doubles.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif
#define EXPORT __attribute__((visibility("default")))
#define MESSAGE 4096

/* Types of FMI 2.0 (fmi2TypesPlatform "default", fmi2FunctionTypes). */
typedef void *Component, *Environment, *State;
typedef unsigned int Reference;
typedef double Real;
typedef int Integer, Boolean;
typedef const char *String;
typedef char Byte;
typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef void (*Logger)(Environment, String, Status, String, String, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(Environment, Status);
    Environment environment;
} Callbacks;

typedef struct {
    int socket;
    pid_t process;
    uint32_t inputs, outputs;
    Real *numbers; /* inputs, then outputs */
    Real *start;
    char name[256], message[MESSAGE];
    Logger logger;
    Environment environment;
} Robot;

extern char **environ;

static Status fail(Robot *robot, const char *text)
{
    if (text != robot->message) snprintf(robot->message, MESSAGE, "%s", text);
    if (robot->logger) robot->logger(robot->environment, robot->name, ERROR, "logStatusError", "%s", robot->message);
    return ERROR;
}

static int put(int socket, const void *data, size_t size)
{
    const char *from = data;
    while (size > 0) {
        ssize_t sent = send(socket, from, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return 0;
        from += sent, size -= (size_t)sent;
    }
    return 1;
}

static int take(int socket, void *data, size_t size)
{
    char *into = data;
    while (size > 0) {
        ssize_t got = recv(socket, into, size, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        into += got, size -= (size_t)got;
    }
    return 1;
}

/* The outputs, or the message of what went wrong. */
static Status answer(Robot *robot)
{
    char failed;
    uint32_t length;
    if (!take(robot->socket, &failed, 1)) return fail(robot, "the Python process of the robot has ended");
    if (!failed) {
        int whole = take(robot->socket, robot->numbers + robot->inputs, robot->outputs * sizeof(Real));
        return whole ? OK : fail(robot, "the Python process of the robot has ended");
    }
    if (!take(robot->socket, &length, sizeof length) || length >= MESSAGE ||
        !take(robot->socket, robot->message, length))
        return fail(robot, "the Python process of the robot has ended");
    robot->message[length] = 0;
    return fail(robot, robot->message);
}

/* A `file:` address as a path: %20 and its like are characters. */
static void path_of(const char *address, char *path, size_t size)
{
    size_t count = 0;
    if (!strncmp(address, "file:", 5)) address += 5;
    if (!strncmp(address, "//localhost/", 12)) address += 11;
    else if (!strncmp(address, "//", 2)) address += 2;
    for (; *address && count + 1 < size; address++) {
        unsigned int code;
        if (*address == '%' && sscanf(address + 1, "%2x", &code) == 1) path[count++] = (char)code, address += 2;
        else path[count++] = *address;
    }
    path[count] = 0;
}

static void line_of(const char *folder, const char *name, char *line, int size)
{
    char path[4096];
    FILE *file;
    line[0] = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if ((file = fopen(path, "r"))) {
        if (!fgets(line, size, file)) line[0] = 0;
        line[strcspn(line, "\r\n")] = 0;
        fclose(file);
    }
}

static int started(Robot *robot, const char *folder)
{
    int ends[2], failed;
    char python[4096];
    const char *chosen = getenv("LIMBLESS_PYTHON");
    posix_spawn_file_actions_t actions;
    line_of(folder, "python.txt", python, sizeof python);
    if (chosen && *chosen) snprintf(python, sizeof python, "%s", chosen);
    else if (!python[0] || access(python, X_OK)) snprintf(python, sizeof python, "python3");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 0;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC), fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    char *words[] = {python, "-m", "limbless.interop.logs.fmu_process", (char *)folder, NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    failed = posix_spawnp(&robot->process, python, &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    robot->socket = ends[0];
    if (failed) {
        robot->process = 0;
        snprintf(robot->message, MESSAGE, "Python does not start; set LIMBLESS_PYTHON to one that has limbless; tried %.999s",
                 python);
        return 0;
    }
    return 1;
}

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
EXPORT Status fmi2SetDebugLogging(Component c, Boolean on, size_t n, const String categories[])
{
    (void)c, (void)on, (void)n, (void)categories;
    return OK;
}

EXPORT void fmi2FreeInstance(Component c)
{
    Robot *robot = c;
    if (!robot) return;
    if (robot->socket >= 0) put(robot->socket, "q", 1), close(robot->socket);
    if (robot->process > 0) waitpid(robot->process, NULL, 0);
    free(robot->numbers), free(robot->start), free(robot);
}

EXPORT Component fmi2Instantiate(String name, int type, String guid, String resources, const Callbacks *callbacks,
                                 Boolean visible, Boolean logging)
{
    char folder[4096], own[256];
    uint32_t counts[2];
    Robot *robot = calloc(1, sizeof(Robot));
    (void)visible, (void)logging;
    if (!robot) return NULL;
    robot->socket = -1;
    robot->logger = callbacks ? callbacks->logger : NULL;
    robot->environment = callbacks ? callbacks->environment : NULL;
    snprintf(robot->name, sizeof robot->name, "%s", name ? name : "limbless");
    path_of(resources ? resources : "", folder, sizeof folder);
    line_of(folder, "guid.txt", own, sizeof own);
    if (type != 1) fail(robot, "this FMU is for co-simulation");
    else if (!own[0] || !guid || strcmp(own, guid)) fail(robot, "the GUID is not the one of the files in resources");
    else if (!started(robot, folder)) fail(robot, robot->message[0] ? robot->message : "no process could be started");
    else if (!take(robot->socket, counts, sizeof counts))
        fail(robot, "Python has ended: is limbless installed there? Set LIMBLESS_PYTHON to a Python that has it");
    else {
        robot->inputs = counts[0], robot->outputs = counts[1];
        robot->numbers = calloc(counts[0] + counts[1] + 1, sizeof(Real));
        robot->start = calloc(counts[0] + 1, sizeof(Real));
        if (robot->numbers && robot->start && take(robot->socket, robot->start, counts[0] * sizeof(Real))) {
            memcpy(robot->numbers, robot->start, counts[0] * sizeof(Real));
            if (answer(robot) == OK) return robot;
        }
    }
    fmi2FreeInstance(robot);
    return NULL;
}

EXPORT Status fmi2SetupExperiment(Component c, Boolean bounded, Real tolerance, Real begin, Boolean ends, Real end)
{
    (void)bounded, (void)tolerance, (void)ends, (void)end;
    return begin == 0.0 ? OK : fail(c, "the time of the robot starts at 0");
}
EXPORT Status fmi2EnterInitializationMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2ExitInitializationMode(Component c) { (void)c; return OK; }
EXPORT Status fmi2Terminate(Component c) { (void)c; return OK; }

EXPORT Status fmi2Reset(Component c)
{
    Robot *robot = c;
    memcpy(robot->numbers, robot->start, robot->inputs * sizeof(Real));
    return put(robot->socket, "r", 1) ? answer(robot) : fail(robot, "the Python process of the robot has ended");
}

EXPORT Status fmi2GetReal(Component c, const Reference which[], size_t count, Real value[])
{
    Robot *robot = c;
    for (size_t i = 0; i < count; i++) {
        if (which[i] >= robot->inputs + robot->outputs) return fail(robot, "a value reference that there is not");
        value[i] = robot->numbers[which[i]];
    }
    return OK;
}

EXPORT Status fmi2SetReal(Component c, const Reference which[], size_t count, const Real value[])
{
    Robot *robot = c;
    for (size_t i = 0; i < count; i++) {
        if (which[i] >= robot->inputs) return fail(robot, "only inputs can be set");
        if (!isfinite(value[i])) return fail(robot, "an input is not a finite number");
        robot->numbers[which[i]] = value[i];
    }
    return OK;
}

EXPORT Status fmi2DoStep(Component c, Real time, Real step, Boolean no_set)
{
    Robot *robot = c;
    Real when[2] = {time, step};
    (void)no_set;
    if (!put(robot->socket, "s", 1) || !put(robot->socket, when, sizeof when) ||
        !put(robot->socket, robot->numbers, robot->inputs * sizeof(Real)))
        return fail(robot, "the Python process of the robot has ended");
    return answer(robot);
}

/* This FMU has real numbers alone, no derivatives, no saved states and no steps that go on by themselves. */
#define NONE(name, ...)                                                          \
    EXPORT Status name(Component c, __VA_ARGS__)                                 \
    {                                                                            \
        return fail(c, #name ": this FMU does not have it (see modelDescription.xml)"); \
    }
#define NONE_OF(name, type)                                                      \
    EXPORT Status name(Component c, const Reference which[], size_t count, type value[]) \
    {                                                                            \
        (void)which, (void)value;                                                \
        return count ? fail(c, #name ": all variables of this FMU are real") : OK; \
    }
NONE_OF(fmi2GetInteger, Integer)
NONE_OF(fmi2GetBoolean, Boolean)
NONE_OF(fmi2GetString, String)
NONE_OF(fmi2SetInteger, const Integer)
NONE_OF(fmi2SetBoolean, const Boolean)
NONE_OF(fmi2SetString, const String)
NONE(fmi2GetFMUstate, State *state)
NONE(fmi2SetFMUstate, State state)
NONE(fmi2FreeFMUstate, State *state)
NONE(fmi2SerializedFMUstateSize, State state, size_t *size)
NONE(fmi2SerializeFMUstate, State state, Byte bytes[], size_t size)
NONE(fmi2DeSerializeFMUstate, const Byte bytes[], size_t size, State *state)
NONE(fmi2GetDirectionalDerivative, const Reference u[], size_t n, const Reference k[], size_t m, const Real dk[],
     Real du[])
NONE(fmi2SetRealInputDerivatives, const Reference w[], size_t n, const Integer order[], const Real value[])
NONE(fmi2GetRealOutputDerivatives, const Reference w[], size_t n, const Integer order[], Real value[])
NONE(fmi2GetStatus, int kind, Status *value)
NONE(fmi2GetRealStatus, int kind, Real *value)
NONE(fmi2GetIntegerStatus, int kind, Integer *value)
NONE(fmi2GetBooleanStatus, int kind, Boolean *value)
NONE(fmi2GetStringStatus, int kind, String *value)
EXPORT Status fmi2CancelStep(Component c) { return fail(c, "fmi2CancelStep: a step cannot be cancelled"); }
