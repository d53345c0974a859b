"""The papers that limbless implements, for `limbless cite`. Light: imported by the command line.

A key is the one that scenarios use in their `paper` field.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from unicodedata import normalize

from limbless.core.errors import InputError, nearest


@dataclass(frozen=True)
class Paper:
    """A publication: how to cite it in BibTeX and in plain text."""

    key: str
    authors: tuple[tuple[str, str], ...]  # (given names, family name)
    title: str
    entry: str = "article"
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def word(self) -> str:
        """The key of its BibTeX entry: `khalil2007dynamic`."""
        first = next(word for word in self.title.replace("-", " ").split() if word[0].isalpha() and len(word) > 3)
        letters = normalize("NFKD", f"{self.authors[0][1]}{self.fields.get('year', '')}{first}".lower())
        return "".join(letter for letter in letters if letter.isascii() and letter.isalnum())

    def bibtex(self) -> str:
        """A BibTeX entry; the braces keep capitals such as 3-D as they are."""
        authors = " and ".join(f"{family}, {given}" for given, family in self.authors)
        lines = [f"  author = {{{authors}}},", f"  title = {{{{{self.title}}}}},"]
        lines += [f"  {name} = {{{text.replace('–', '--')}}}," for name, text in self.fields.items()]
        return "\n".join([f"@{self.entry}{{{self.word},", *lines, "}"])

    def text(self) -> str:
        """One sentence for a reference list."""
        names = [f"{given} {family}" for given, family in self.authors]
        listed = " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
        part = self.fields
        number = f"({part['number']})" if "number" in part else ""
        places = [
            part.get("journal", ""),
            f"{part['volume']}{number}" if "volume" in part else "",
            part.get("pages", ""),
        ]
        doi = f"doi:{part['doi']}" if "doi" in part else ""
        tail = [", ".join(place for place in places if place), part.get("year", ""), doi, part.get("note", "")]
        return f"{listed}. {self.title}. " + ". ".join(text for text in tail if text) + "."


PAPERS = {
    paper.key: paper
    for paper in (
        Paper(
            "000_408c066bb16f9c1a",
            (("Frédéric", "Boyer"), ("Shaukat", "Ali"), ("Mathieu", "Porez")),
            "Macro-continuous dynamics for hyper-redundant robots: "
            "application to kinematic locomotion bio-inspired by elongated body animals",
            fields={
                "journal": "IEEE Transactions on Robotics",
                "volume": "28",
                "pages": "303–317",
                "year": "2012",
                "note": "HAL hal-00761258",
            },
        ),
        Paper(
            "001_6af647dcdb8b62c0",
            (("Wisama", "Khalil"), ("Guillaume", "Gallot"), ("Frédéric", "Boyer")),
            "Dynamic modeling and simulation of a 3-D serial eel-like robot",
            fields={
                "journal": "IEEE Transactions on Systems, Man, and Cybernetics, Part C (Applications and Reviews)",
                "volume": "37",
                "number": "6",
                "pages": "1259–1268",
                "year": "2007",
                "doi": "10.1109/TSMCC.2007.905831",
            },
        ),
        Paper(
            "002_b16cd868fcc4b9dd",
            (("Aksel A.", "Transeth"), ("Remco I.", "Leine"), ("Christoph", "Glocker"), ("Kristin Y.", "Pettersen")),
            "3-D snake robot motion: nonsmooth modeling, simulations, and experiments",
            fields={
                "journal": "IEEE Transactions on Robotics",
                "volume": "24",
                "number": "2",
                "pages": "361–376",
                "year": "2008",
            },
        ),
        Paper(
            "003_d97203a45313002a",
            (("Zhifeng", "Wang"), ("Shugen", "Ma"), ("Bin", "Li"), ("Yuechao", "Wang")),
            "Dynamic modeling for locomotion-manipulation of a snake-like robot by using geometric methods",
            entry="misc",
            fields={"note": "conference paper; our copy prints neither year nor venue"},
        ),
        Paper(
            "004_fbd5e5ef8d0bb7f5",
            (("Elie", "Gautreau"), ("Xavier", "Bonnet"), ("Med Amine", "Laribi")),
            "Instrumented bio-inspired cable-driven compliant continuum robot: static modeling and experimental "
            "evaluation",
            fields={"journal": "Robotica", "year": "2024", "doi": "10.1017/S0263574724001188"},
        ),
        Paper(
            "purcell-1977",
            (("Edward M.", "Purcell"),),
            "Life at low Reynolds number",
            fields={"journal": "American Journal of Physics", "volume": "45", "pages": "3–11", "year": "1977"},
        ),
        Paper(
            "hatton-2011",
            (("Ross L.", "Hatton"), ("Howie", "Choset")),
            "Geometric motion planning: the local connection, Stokes' theorem, and the importance of coordinate choice",
            fields={
                "journal": "The International Journal of Robotics Research",
                "volume": "30",
                "number": "8",
                "pages": "988–1014",
                "year": "2011",
            },
        ),
        Paper(
            "maladen-2009",
            (("Ryan D.", "Maladen"), ("Yang", "Ding"), ("Chen", "Li"), ("Daniel I.", "Goldman")),
            "Undulatory swimming in sand: subsurface locomotion of the sandfish lizard",
            fields={"journal": "Science", "volume": "325", "pages": "314–318", "year": "2009"},
        ),
        Paper(
            "li-2013",
            (("Chen", "Li"), ("Tingnan", "Zhang"), ("Daniel I.", "Goldman")),
            "A terradynamics of legged locomotion on granular media",
            fields={"journal": "Science", "volume": "339", "pages": "1408–1412", "year": "2013"},
        ),
        Paper(
            "ijspeert2007",
            (("Auke Jan", "Ijspeert"), ("Alessandro", "Crespi"), ("Dimitri", "Ryczko"), ("Jean-Marie", "Cabelguen")),
            "From swimming to walking with a salamander robot driven by a spinal cord model",
            fields={
                "journal": "Science",
                "volume": "315",
                "number": "5817",
                "pages": "1416–1420",
                "year": "2007",
                "doi": "10.1126/science.1138353",
            },
        ),
        Paper(
            "ekeberg1993",
            (("Örjan", "Ekeberg"),),
            "A combined neuronal and mechanical model of fish swimming",
            fields={"journal": "Biological Cybernetics", "volume": "69", "pages": "363–374", "year": "1993"},
        ),
        Paper(
            "boyle2012",
            (("Jordan H.", "Boyle"), ("Stefano", "Berri"), ("Netta", "Cohen")),
            "Gait modulation in C. elegans: an integrated neuromechanical model",
            fields={
                "journal": "Frontiers in Computational Neuroscience",
                "volume": "6",
                "pages": "10",
                "year": "2012",
                "doi": "10.3389/fncom.2012.00010",
            },
        ),
        Paper(
            "rezapour2014",
            (("Ehsan", "Rezapour"), ("Kristin Y.", "Pettersen"), ("Pål", "Liljebäck"), ("Jan T.", "Gravdahl")),
            "Path following control of planar snake robots using virtual holonomic constraints: theory and experiments",
            fields={"journal": "Robotics and Biomimetics", "volume": "1", "pages": "3", "year": "2014"},
        ),
        Paper(
            "travers2018",
            (("Matthew", "Travers"), ("Julian", "Whitman"), ("Howie", "Choset")),
            "Shape-based coordination in locomotion control",
            fields={
                "journal": "The International Journal of Robotics Research",
                "volume": "37",
                "pages": "1253–1268",
                "year": "2018",
            },
        ),
        Paper(
            "johnson2021",
            (("Carter L.", "Johnson"), ("Timothy J.", "Lewis"), ("Robert D.", "Guy")),
            "Neuromechanical mechanisms of gait adaptation in C. elegans: relative roles of neural and mechanical "
            "coupling",
            fields={
                "journal": "SIAM Journal on Applied Dynamical Systems",
                "volume": "20",
                "pages": "1022–1052",
                "year": "2021",
            },
        ),
        Paper(
            "thandiackal2021",
            (
                ("Robin", "Thandiackal"),
                ("Kamilo", "Melo"),
                ("Laura", "Paez"),
                ("Johann", "Herault"),
                ("Takeshi", "Kano"),
                ("Kyoichi", "Akiyama"),
                ("Frédéric", "Boyer"),
                ("Dimitri", "Ryczko"),
                ("Akio", "Ishiguro"),
                ("Auke J.", "Ijspeert"),
            ),
            "Emergence of robust self-organized undulatory swimming based on local hydrodynamic force sensing",
            fields={
                "journal": "Science Robotics",
                "volume": "6",
                "number": "57",
                "pages": "eabf6354",
                "year": "2021",
                "doi": "10.1126/scirobotics.abf6354",
            },
        ),
    )
}


def find(key: str) -> Paper:
    """The paper with that key, or an `InputError` that names the nearest."""
    if key not in PAPERS:
        raise InputError(f"unknown paper {key!r}; {nearest(key, PAPERS, 'cite')}")
    return PAPERS[key]
