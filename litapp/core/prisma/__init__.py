"""PRISMA 2020: the flow counted from a log, the checker of others' figures, the diagram, and PRISMA-S. All pure."""

from litapp.core.prisma.counts import (
    NO_REASON,
    FlowCandidate,
    FlowCounts,
    FlowError,
    ScreeningState,
    flow_counts,
)

__all__ = ["NO_REASON", "FlowCandidate", "FlowCounts", "FlowError", "ScreeningState", "flow_counts"]
