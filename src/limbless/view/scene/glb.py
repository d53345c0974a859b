"""A binary glTF 2.0 file (GLB) from arrays: meshes, materials, skins and animations in one piece."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import __version__
from limbless.view.scene.frames import Array

_FLOAT, _UINT, _USHORT = 5126, 5125, 5123
_UNLIT = "KHR_materials_unlit"
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Glb:
    """A file that is being filled. Every `add_` method gives the number by which others refer to what was added."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._lists: dict[str, list[Any]] = {"bufferViews": [], "accessors": []}

    def add(self, family: str, entry: dict[str, Any]) -> int:
        """Append an entry to one of glTF's lists: `nodes`, `meshes`, `materials`, `skins`, `animations`, .."""
        entries = self._lists.setdefault(family, [])
        entries.append(entry)
        return len(entries) - 1

    def _add_bytes(self, data: bytes) -> int:
        self._bytes.extend(b"\0" * (-len(self._bytes) % 4))
        place = {"buffer": 0, "byteOffset": len(self._bytes), "byteLength": len(data)}
        self._bytes.extend(data)
        return self.add("bufferViews", place)

    def add_array(self, values: Any, kind: int = _FLOAT, bounds: bool = False) -> int:
        """An accessor of numbers: rows of 1 to 4 or 16 components; `bounds` states the least and the largest."""
        array = np.ascontiguousarray(values, {_FLOAT: np.float32, _UINT: np.uint32, _USHORT: np.uint16}[kind])
        rows = array.reshape(len(array), -1)
        told = {
            "bufferView": self._add_bytes(array.tobytes()),
            "componentType": kind,
            "count": len(rows),
            "type": _TYPES[rows.shape[1]],
        }
        if bounds:
            told |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        return self.add("accessors", told)

    def _add_picture(self, data: bytes) -> dict[str, int]:
        """A texture that repeats, from the bytes of a PNG or JPEG."""
        self._lists.setdefault("samplers", [{"wrapS": 10497, "wrapT": 10497}])
        kind = "image/png" if data[:4] == b"\x89PNG" else "image/jpeg"
        source = self.add("images", {"bufferView": self._add_bytes(data), "mimeType": kind})
        return {"index": self.add("textures", {"source": source, "sampler": 0})}

    def add_material(
        self,
        colour: tuple[float, ...] = (1.0, 1.0, 1.0),
        opacity: float = 1.0,
        roughness: float = 0.6,
        *,
        picture: bytes | None = None,
        bumps: bytes | None = None,
        lit: bool = True,
        clear: bool = False,
    ) -> int:
        """A surface; `colour` is linear, not sRGB. `picture` and `bumps` are textures of its colour and of its normals;
        `clear`: one sees through it where its colours or its picture say so.
        """
        surface = {"baseColorFactor": [*colour, opacity], "metallicFactor": 0.0, "roughnessFactor": roughness}
        material: dict[str, Any] = {"pbrMetallicRoughness": surface, "doubleSided": True}
        if picture is not None:
            surface["baseColorTexture"] = self._add_picture(picture)
        if bumps is not None:
            material["normalTexture"] = self._add_picture(bumps)
        if clear or opacity < 1.0:
            material["alphaMode"] = "BLEND"
        if not lit:
            material["extensions"] = {_UNLIT: {}}
            self._lists["extensionsUsed"] = [_UNLIT]
        return self.add("materials", material)

    def add_mesh(
        self,
        vertices: Array,
        corners: NDArray[Any],
        material: int,
        *,
        held: Any = None,
        smooth: bool = True,
        colours: Any = None,
        places: Any = None,
    ) -> int:
        """Triangles (or lines, where `corners` has two columns).

        Parameters
        ----------
        held : sections and weights of every vertex.
        smooth : with normals; without them a page draws flat faces.
        colours : light of every vertex (V, 3), or with its opacity (V, 4).
        places : of every vertex in its texture (V, 2).
        """
        attributes = {"POSITION": self.add_array(vertices, bounds=True)}
        if smooth:
            attributes["NORMAL"] = self.add_array(normals(vertices, corners))
        if colours is not None:
            attributes["COLOR_0"] = self.add_array(colours)
        if places is not None:
            attributes["TEXCOORD_0"] = self.add_array(places)
        if held is not None:
            sections, weights = held
            attributes |= {"JOINTS_0": self.add_array(sections, _USHORT), "WEIGHTS_0": self.add_array(weights)}
        primitive = {
            "attributes": attributes,
            "indices": self.add_array(np.ravel(corners), _UINT),
            "material": material,
        }
        return self.add("meshes", {"primitives": [primitive | ({"mode": 1} if corners.shape[1] == 2 else {})]})

    def bytes(self, roots: list[int], **more: Any) -> bytes:
        """The file: `roots` are the nodes of its one scene."""
        blob = bytes(self._bytes) + b"\0" * (-len(self._bytes) % 4)
        told = {
            "asset": {"version": "2.0", "generator": f"limbless {__version__}"} | more,
            "scene": 0,
            "scenes": [{"nodes": roots}],
            **{family: entries for family, entries in self._lists.items() if entries},
            "buffers": [{"byteLength": len(blob)}],
        }
        text = json.dumps(told, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        parts = [(len(text), b"JSON", text), (len(blob), b"BIN\0", blob)]
        body = b"".join(struct.pack("<I4s", size, word) + content for size, word, content in parts)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def one_mesh(vertices: Array, faces: Any, *, colours: Any = None, places: Any = None, **material: Any) -> bytes:
    """A file of one mesh."""
    file = Glb()
    surface = file.add_material(**material)
    mesh = file.add_mesh(vertices, np.asarray(faces), surface, colours=colours, places=places)
    return file.bytes([file.add("nodes", {"mesh": mesh})])


def normals(vertices: Array, faces: NDArray[Any]) -> Array:
    """Unit normals of a smooth mesh: the mean of those of the faces around a vertex, by area."""
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    of_face = np.cross(b - a, c - a)
    total = np.zeros_like(vertices)
    np.add.at(total, faces.T, of_face)
    size = np.linalg.norm(total, axis=1, keepdims=True)
    return np.asarray(np.where(size > 0.0, total / np.where(size > 0.0, size, 1.0), [0.0, 0.0, 1.0]))
