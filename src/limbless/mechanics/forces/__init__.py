"""What pushes: elements, one file per kind.

A law on slices of body is a table, a marker and a formula (`laws`); an element may also be its own version of `push`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.forces.body_drag import *
    from limbless.mechanics.forces.flow import *
    from limbless.mechanics.forces.force_element import *
    from limbless.mechanics.forces.free_surface import *
    from limbless.mechanics.forces.hydrostatics import *
    from limbless.mechanics.forces.immersion import *
    from limbless.mechanics.forces.laws import *
    from limbless.mechanics.forces.morison import *
    from limbless.mechanics.forces.open_water import *
    from limbless.mechanics.forces.point_wrench import *
    from limbless.mechanics.forces.sand import *
    from limbless.mechanics.forces.smooth_friction import *
    from limbless.mechanics.forces.station_laws import *
    from limbless.mechanics.forces.tendon import *
    from limbless.mechanics.forces.tendon_friction import *
    from limbless.mechanics.forces.user_slice import *
    from limbless.mechanics.forces.wake import *
    from limbless.mechanics.forces.waterline import *
    from limbless.mechanics.forces.weight import *

__getattr__ = lazy_names(
    __name__,
    {
        "body_drag": "BodyDragLaw",
        "flow": "FAR FLOW_KINDS FlowRow FlowState Flows StreamBuffer flow_at height_at",
        "force_element": "element_power look_again_all push push_all spend_all",
        "free_surface": "FreeSurfaceLaws OpenWakeLaw share_at",
        "hydrostatics": "Hydrostatic HydrostaticLaw hydrostatic",
        "immersion": "Cut Integrals THIN cut_section integrals_along reach_of waterplane_along",
        "laws": (
            "EllipticSection LawBands LawWrench Laws OnAxes OnBody OnSegment PackedLaws RowLaws Slice WithAddedMass "
            "about_body at is_active lane_wrench law law_row law_slice law_wrench plain_law power_of_bands "
            "push_in_bands push_in_rows put_in_band put_lane_wrench put_nothing segment_motion slice_of "
            "sliced_wrench sum_slice"
        ),
        "morison": "Morison MorisonLaw scaled",
        "open_water": (
            "OpenWater OpenWaterLaw ReynoldsDrag TaylorDrag deep_slice deep_wrench immersed_slice in_slice open_drag"
        ),
        "point_wrench": "PointLaw TimedPointLaw",
        "sand": "SandEndLaw SlenderSandLaw SurfaceSandLaw",
        "smooth_friction": "SmoothFriction SmoothFrictionLaw",
        "station_laws": "AtStation FreeSurfaceStations",
        "tendon": "Arm Channel ChannelRouting Chord SegmentState StraightRouting TendonElement TendonSegment",
        "tendon_friction": "CapstanFriction DiskFriction TendonFriction capstan friction_ratio slide turn_at",
        "user_slice": "Buffer UserLaw law_on_buffer",
        "wake": "Wake WakeLaw wake_at_edge",
        "waterline": "WaterSurface floating_slice plane_at sum_segment wet_inertia",
        "weight": "Weight WeightLaw",
    },
)
