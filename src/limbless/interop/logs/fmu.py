"""A scenario as an FMU: FMI 2.0 for co-simulation, which Simulink, Dymola, OpenModelica and fmpy can run.

The binary inside is compiled here, from `fmu.c`. It starts a Python process for each instance, so that the machine
which runs the FMU needs a Python with limbless.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import uuid
import zipfile
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

from limbless.core import InputError, __version__
from limbless.interop.logs.fmu_process import SteppedRobot
from limbless.scenarios.scenario import Scenario

_FOLDERS = {"linux": "linux64", "darwin": "darwin64"}
_NAME = "limbless"


def write_fmu(scenario: Scenario, path: str | Path) -> Path:
    """Write a scenario as an FMU.

    Parameters
    ----------
    scenario : any scenario that moves; statics has no time.
    path : the file, `name.fmu`.
    """
    target = Path(path)
    robot = SteppedRobot(scenario.model_dump(mode="json"))
    guid = f"{{{uuid.uuid5(uuid.NAMESPACE_URL, scenario.to_yaml() + __version__)}}}"
    library, suffix = _library()
    texts = {
        "modelDescription.xml": _description(scenario, robot, guid),
        "resources/scenario.yaml": scenario.to_yaml().encode(),
        "resources/python.txt": f"{sys.executable}\n".encode(),
        "resources/guid.txt": f"{guid}\n".encode(),
        f"binaries/{_FOLDERS[sys.platform]}/{_NAME}{suffix}": library,
    }
    with tempfile.TemporaryDirectory(dir=target.resolve().parent) as folder:
        made = Path(folder) / target.name
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in texts.items():
                archive.writestr(name, data)
        made.replace(target)
    return target


def _library() -> tuple[bytes, str]:
    """The compiled binary, and the ending of its name."""
    if sys.platform not in _FOLDERS:
        raise InputError(
            f"an FMU is written on {' and '.join(_FOLDERS)}; on {sys.platform} limbless has no binary for it"
        )
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", ""), "cc", "gcc", "clang"))), None)
    if compiler is None:
        raise InputError("an FMU needs a C compiler to be written; install one (gcc or clang), or set CC to its name")
    suffix = ".so" if sys.platform == "linux" else ".dylib"
    with tempfile.TemporaryDirectory() as folder, resources.as_file(resources.files(__package__) / "fmu.c") as source:
        out = Path(folder) / f"{_NAME}{suffix}"
        call = [compiler, "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-o", str(out), str(source), "-lm"]
        answer = subprocess.run(call, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise InputError(f"{compiler} could not compile the binary of the FMU: {answer.stderr.strip()[-500:]}")
        return out.read_bytes(), suffix


def _description(scenario: Scenario, robot: SteppedRobot, guid: str) -> bytes:
    """modelDescription.xml."""
    root = ElementTree.Element(
        "fmiModelDescription",
        fmiVersion="2.0",
        modelName=scenario.name,
        guid=guid,
        description=scenario.title,
        generationTool=f"limbless {__version__}",
        generationDateAndTime=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        variableNamingConvention="structured",
    )
    ElementTree.SubElement(
        root,
        "CoSimulation",
        modelIdentifier=_NAME,
        needsExecutionTool="true",
        canHandleVariableCommunicationStepSize="true",
        canNotUseMemoryManagementFunctions="true",
    )
    units = sorted({one.unit for one in robot.inputs if one.unit})
    if units:
        ElementTree.SubElement(root, "UnitDefinitions").extend(ElementTree.Element("Unit", name=unit) for unit in units)
    ElementTree.SubElement(ElementTree.SubElement(root, "LogCategories"), "Category", name="logStatusError")
    ElementTree.SubElement(
        root,
        "DefaultExperiment",
        startTime="0",
        stopTime=repr(scenario.duration),
        stepSize=repr(scenario.control_period or scenario.step),
    )
    variables = ElementTree.SubElement(root, "ModelVariables")
    for number, one in enumerate(robot.inputs):
        described = {"name": one.name, "valueReference": str(number), "description": one.meaning}
        described |= {"causality": "input", "variability": "discrete"}
        real = {"start": repr(one.start)} | ({"unit": one.unit} if one.unit else {})
        ElementTree.SubElement(ElementTree.SubElement(variables, "ScalarVariable", described), "Real", real)
    outputs = dict(enumerate(robot.outputs, start=len(robot.inputs)))
    for number, name in outputs.items():
        described = {"name": name, "valueReference": str(number), "causality": "output", "variability": "continuous"}
        ElementTree.SubElement(ElementTree.SubElement(variables, "ScalarVariable", described), "Real")
    structure = ElementTree.SubElement(root, "ModelStructure")
    for heading in ("Outputs", "InitialUnknowns"):
        unknown = (ElementTree.Element("Unknown", index=str(number + 1)) for number in outputs)
        ElementTree.SubElement(structure, heading).extend(unknown)
    ElementTree.indent(root)
    return ElementTree.tostring(root, "UTF-8", xml_declaration=True)
