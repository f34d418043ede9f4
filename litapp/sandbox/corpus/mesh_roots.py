"""The top headings of the MeSH tree with their numbers: tables of MeSH often leave them out.

Source: the MeSH tree structures 2024, courtesy of the U.S. National Library of Medicine.
"""

from __future__ import annotations

_ROOTS = """
A01 Body Regions
A02 Musculoskeletal System
A03 Digestive System
A04 Respiratory System
A05 Urogenital System
A06 Endocrine System
A07 Cardiovascular System
A08 Nervous System
A09 Sense Organs
A10 Tissues
A11 Cells
A12 Fluids and Secretions
A13 Animal Structures
A14 Stomatognathic System
A15 Hemic and Immune Systems
A16 Embryonic Structures
A17 Integumentary System
A18 Plant Structures
A19 Fungal Structures
A20 Bacterial Structures
A21 Viral Structures
B01 Eukaryota
B02 Archaea
B03 Bacteria
B04 Viruses
B05 Organism Forms
C01 Infections
C04 Neoplasms
C05 Musculoskeletal Diseases
C06 Digestive System Diseases
C07 Stomatognathic Diseases
C08 Respiratory Tract Diseases
C09 Otorhinolaryngologic Diseases
C10 Nervous System Diseases
C11 Eye Diseases
C12 Urogenital Diseases
C14 Cardiovascular Diseases
C15 Hemic and Lymphatic Diseases
C16 Congenital, Hereditary, and Neonatal Diseases and Abnormalities
C17 Skin and Connective Tissue Diseases
C18 Nutritional and Metabolic Diseases
C19 Endocrine System Diseases
C20 Immune System Diseases
C21 Disorders of Environmental Origin
C22 Animal Diseases
C23 Pathological Conditions, Signs and Symptoms
C24 Occupational Diseases
C25 Chemically-Induced Disorders
C26 Wounds and Injuries
D01 Inorganic Chemicals
D02 Organic Chemicals
D03 Heterocyclic Compounds
D04 Polycyclic Compounds
D05 Macromolecular Substances
D06 Hormones, Hormone Substitutes, and Hormone Antagonists
D08 Enzymes and Coenzymes
D09 Carbohydrates
D10 Lipids
D12 Amino Acids, Peptides, and Proteins
D13 Nucleic Acids, Nucleotides, and Nucleosides
D20 Complex Mixtures
D23 Biological Factors
D25 Biomedical and Dental Materials
D26 Pharmaceutical Preparations
D27 Chemical Actions and Uses
E01 Diagnosis
E02 Therapeutics
E03 Anesthesia and Analgesia
E04 Surgical Procedures, Operative
E05 Investigative Techniques
E06 Dentistry
E07 Equipment and Supplies
F01 Behavior and Behavior Mechanisms
F02 Psychological Phenomena
F03 Mental Disorders
F04 Behavioral Disciplines and Activities
G01 Physical Phenomena
G02 Chemical Phenomena
G03 Metabolism
G04 Cell Physiological Phenomena
G05 Genetic Phenomena
G06 Microbiological Phenomena
G07 Physiological Phenomena
G08 Reproductive and Urinary Physiological Phenomena
G09 Circulatory and Respiratory Physiological Phenomena
G10 Digestive System and Oral Physiological Phenomena
G11 Musculoskeletal and Neural Physiological Phenomena
G12 Immune System Phenomena
G13 Integumentary System Physiological Phenomena
G14 Ocular Physiological Phenomena
G15 Plant Physiological Phenomena
G16 Biological Phenomena
G17 Mathematical Concepts
H01 Natural Science Disciplines
H02 Health Occupations
I01 Social Sciences
I02 Education
I03 Human Activities
J01 Technology, Industry, and Agriculture
J02 Food and Beverages
J03 Non-Medical Public and Private Facilities
K01 Humanities
L01 Information Science
M01 Persons
N01 Population Characteristics
N02 Health Care Facilities, Manpower, and Services
N03 Health Care Economics and Organizations
N04 Health Services Administration
N05 Health Care Quality, Access, and Evaluation
N06 Environment and Public Health
V01 Publication Components
V02 Publication Formats
V03 Study Characteristics
V04 Support of Research
Z01 Geographic Locations
"""
ROOTS: dict[str, str] = {line[4:].casefold(): line[:3] for line in _ROOTS.strip().splitlines()}
"""Tree number per top heading (lower case)."""
