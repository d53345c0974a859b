"""Robot descriptions that tests write themselves, with the traps that published files have."""

from __future__ import annotations

from pathlib import Path

INERTIAL = """<inertial><origin xyz="0.05 0.01 0" rpy="0.1 0.2 0.3"/><mass value="{mass}"/>
 <inertia ixx="2e-4" ixy="1e-5" ixz="0" iyy="5e-4" iyz="-2e-5" izz="6e-4"/></inertial>"""


def urdf(links: int = 4, more: str = "", mass: str = "0.5", joint: str = "", collision: bool = True) -> str:
    """A chain of links along x, on joints that yaw and pitch in turn."""
    shape = (
        (
            '<collision><origin xyz="0.05 0 0" rpy="0 1.5708 0"/><geometry><cylinder radius="0.02" length="0.1"/>'
            "</geometry></collision>"
        )
        if collision
        else ""
    )
    parts = ["<?xml version='1.0'?>", "<!-- a comment -- with dashes <!-- and an opening -->", '<robot name="snake">']
    for k in range(links):
        parts.append(f'<link name="link{k}">{INERTIAL.format(mass=mass)}{shape}</link>')
    for k in range(1, links):
        axis = "0 0 1" if k % 2 else "0 -2 0"
        parts.append(f"""<joint name="joint{k}" type="revolute"><parent link="link{k - 1}"/><child link="link{k}"/>
 <origin xyz="0.1 0 0" rpy="0 0 0"/><axis xyz="{axis}"/><limit effort="{k}" velocity="3" lower="-1" upper="1.5"/>
 <dynamics damping="0.01" friction="0.02"/>{joint}</joint>""")
    parts.append(
        '<transmission name="t"><joint name="joint1"><hardwareInterface>e</hardwareInterface></joint></transmission>'
    )
    parts.append('<gazebo reference="link0"><joint name="other"/></gazebo>')
    return "\n".join([*parts, more, "</robot>"])


def revolute(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>{inside}</joint>'
    )


def massive(name: str, mass: float = 0.5, inside: str = "") -> str:
    return f'<link name="{name}">{INERTIAL.format(mass=mass)}{inside}</link>'


def sdf(links: int = 4, version: str = "1.7", world: bool = False) -> str:
    """The same chain as `urdf`, its poses in the frame of the model."""
    parts = [f'<sdf version="{version}">', "<world name='w'>" if world else "", '<model name="snake">']
    for k in range(links):
        parts.append(f"""<link name="link{k}"><pose>{0.1 * k!r} 0 0 0 0 0</pose>
 <inertial><pose>0.05 0.01 0 0.1 0.2 0.3</pose><mass>0.5</mass><inertia><ixx>2e-4</ixx><ixy>1e-5</ixy><ixz>0</ixz>
 <iyy>5e-4</iyy><iyz>-2e-5</iyz><izz>6e-4</izz></inertia></inertial>
 <collision name="c"><pose>0.05 0 0 0 1.5708 0</pose><geometry><cylinder><radius>0.02</radius><length>0.1</length>
 </cylinder></geometry></collision></link>""")
    for k in range(1, links):
        axis = "0 0 1" if k % 2 else "0 -2 0"
        parts.append(f"""<joint name="joint{k}" type="revolute"><parent>link{k - 1}</parent><child>link{k}</child>
 <axis><xyz>{axis}</xyz><limit><lower>-1</lower><upper>1.5</upper><effort>{k}</effort><velocity>3</velocity></limit>
 <dynamics><damping>0.01</damping><friction>0.02</friction></dynamics></axis></joint>""")
    return "\n".join([*parts, "</model>", "</world>" if world else "", "</sdf>"])


def swimmer(
    links: int = 3, base: str = "planar", more: str = "", option: str = 'density="4000" viscosity="0.1"'
) -> str:
    """A swimmer of capsules on hinges, as learning tasks have it: body along -x, armature in the defaults."""
    joints = {
        "planar": '<joint name="sx" type="slide" axis="1 0 0"/><joint name="sy" type="slide" axis="0 1 0"/>'
        '<joint name="turn" axis="0 0 1"/>',
        "free": '<joint name="base" type="free"/>',
        "fixed": "",
    }[base]
    text = ""
    for k in reversed(range(links)):
        own = joints if k == 0 else f'<joint name="bend{k}" axis="0 0 1" range="-100 100" pos="0 0 0"/>'
        pos = "0 0 0" if k == 0 else "0.5 0 0" if k == 1 else "-1 0 0"
        ends = "1.5 0 0 0.5 0 0" if k == 0 else "0 0 0 -1 0 0"
        text = f"""<body name="part{k}" pos="{pos}"><geom type="capsule" size="0.1" fromto="{ends}" material="skin"/>
 {own}{text}</body>"""
    motors = "".join(
        f'<motor joint="bend{k}" gear="150" ctrllimited="true" ctrlrange="-1 1"/>' for k in range(1, links)
    )
    return f"""<mujoco model="swimmer"><compiler angle="degree"/><include file="./looks.xml"/>
 <option timestep="0.01" integrator="RK4" {option}/>
 <default><geom contype="0" conaffinity="0" density="1000"/><joint armature="0.1"/></default>
 <worldbody><light pos="0 0 3"/><geom type="plane" size="4 4 .1" pos="0 0 -0.1"/>{text}</worldbody>
 <actuator>{motors}</actuator>{more}</mujoco>"""


def plain_swimmer(links: int = 3, base: str = "planar", **fields: str) -> str:
    """One that MuJoCo itself reads, without what is missing."""
    return swimmer(links, base, **fields).replace('<include file="./looks.xml"/>', "").replace(' material="skin"', "")


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path
