"""MeSH as data: headings, an index over all of them, and the files they are read from. Pure."""

from litapp.core.mesh.files import CREDIT, BadMeshFile, MeshFile, read_mesh, write_mesh
from litapp.core.mesh.heading import MeshHeading
from litapp.core.mesh.index import MeshIndex

__all__ = ["CREDIT", "BadMeshFile", "MeshFile", "MeshHeading", "MeshIndex", "read_mesh", "write_mesh"]
