"""What can come of looking for a full text at one place: the outcomes, and which of them decide something."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """What one place gave. The value is stored; `SENTENCES` tells it to people."""

    ACCEPTED = "accepted"
    SCANNED = "scanned"
    CUT_OFF = "cut_off"
    NEARLY = "nearly"
    ABOUT_IT = "about_it"
    OTHER_PAPER = "other_paper"
    LOGIN = "login"
    CAPTCHA = "captcha"
    PROOF_OF_WORK = "proof_of_work"
    PAYWALL = "paywall"
    WEB_PAGE = "web_page"
    WRONG_TYPE = "wrong_type"
    NOT_A_PDF = "not_a_pdf"
    TOO_SMALL = "too_small"
    DAMAGED = "damaged"
    LOCKED = "locked"
    NO_BODY = "no_body"
    TOO_LARGE = "too_large"
    REFUSED_ADDRESS = "refused_address"
    REFUSED = "refused"
    ABSENT = "absent"
    BUSY = "busy"
    NO_ANSWER = "no_answer"
    PLACES = "places"
    NOTHING = "nothing"
    UNKNOWN = "unknown"
    NOT_ASKED = "not_asked"
    SWITCHED_OFF = "switched_off"
    NOT_TRIED = "not_tried"


SENTENCES: dict[Outcome, str] = {
    Outcome.ACCEPTED: "Full text, accepted.",
    Outcome.SCANNED: "A PDF without text (scanned pages): a person has to look whether it is this paper.",
    Outcome.CUT_OFF: "A PDF whose end is missing: a person has to look whether it is whole.",
    Outcome.NEARLY: "A PDF with most words of the title, but not the title: a person has to look.",
    Outcome.ABOUT_IT: "A PDF about this paper (correction, reply, comment), it seems: a person has to look.",
    Outcome.OTHER_PAPER: "A PDF of another paper: neither title nor DOI stands on its first pages.",
    Outcome.LOGIN: "A log-in page in place of the paper.",
    Outcome.CAPTCHA: "A page that asks whether one is a human, in place of the paper.",
    Outcome.PROOF_OF_WORK: "A page that makes the browser do sums first (proof of work), in place of the paper.",
    Outcome.PAYWALL: "A page that sells the paper.",
    Outcome.WEB_PAGE: "A web page that names no PDF.",
    Outcome.WRONG_TYPE: "A file that its host does not call a PDF.",
    Outcome.NOT_A_PDF: "A file that is called a PDF and is none.",
    Outcome.TOO_SMALL: "A PDF too small to be a paper (under 10 KB).",
    Outcome.DAMAGED: "A damaged PDF: it cannot be opened.",
    Outcome.LOCKED: "A PDF that is locked with a password.",
    Outcome.NO_BODY: "The record of the paper without its text (scanned, or closed by the publisher).",
    Outcome.TOO_LARGE: "A file larger than this installation accepts.",
    Outcome.REFUSED_ADDRESS: "An address that must not be asked (not public, or no web address).",
    Outcome.REFUSED: "The host refuses to give the paper to a program.",
    Outcome.ABSENT: "Nothing is at this address (any more).",
    Outcome.BUSY: "The host has a problem, or wants to be left alone for a while.",
    Outcome.NO_ANSWER: "The host did not answer.",
    Outcome.PLACES: "Names places to look at.",
    Outcome.NOTHING: "Knows no open copy.",
    Outcome.UNKNOWN: "Does not have this paper.",
    Outcome.NOT_ASKED: "Could not be asked.",
    Outcome.SWITCHED_OFF: "Is not used in this installation.",
    Outcome.NOT_TRIED: "Was not tried: enough places were asked for one paper.",
}
"""One sentence for each outcome; a place's own message may say more."""

TO_ASK = frozenset({Outcome.SCANNED, Outcome.CUT_OFF, Outcome.NEARLY, Outcome.ABOUT_IT})
"""A file is there, and a person decides whether it is the paper."""
SILENT = frozenset({Outcome.BUSY, Outcome.NO_ANSWER, Outcome.NOT_ASKED})
"""Says nothing about the paper: it may be asked again, and nothing follows from it."""
NEEDS_A_PERSON = frozenset({Outcome.CAPTCHA, Outcome.PROOF_OF_WORK, Outcome.REFUSED, Outcome.NOT_TRIED})
"""A program is kept out, a person with a browser may not be: no "not retrieved" follows from it."""
BEHIND_A_WALL = frozenset({Outcome.LOGIN, Outcome.PAYWALL})
"""The paper is there for those who have a right to it."""
