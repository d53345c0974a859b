"""What type checkers read of `import limbless as ll`: the names of `_BY_USE`, group by group."""

from limbless import interop as interop
from limbless.core import __version__ as __version__

# Verbs
from limbless.simulation.simulate import run as run
from limbless.simulation.simulate import simulate as simulate
from limbless.search.steady_motion.steady import steady as steady
from limbless.search.sweeps.sweep import sweep as sweep
from limbless.search.optimisation.optimise import optimise as optimise
from limbless.search.sweeps.rollout import rollout as rollout
from limbless.search.studies.sensitivity import sensitivity as sensitivity
from limbless.search.studies.error_bars import error_bars as error_bars
from limbless.search.studies.connection import connection as connection
from limbless.search.studies.ladder import ladder as ladder
from limbless.search.studies.motor_sizing import motor_sizing as motor_sizing
from limbless.search.studies.robustness import robustness as robustness
from limbless.interop.identification.identify import identify as identify
from limbless.interop.log_files.joint_log import read_log as read_log
from limbless.interop.log_files.marker_track import read_track as read_track
from limbless.interop.robots.robot_file import load_robot as load_robot
from limbless.interop.robots.robot_file import read_robot as read_robot
from limbless.interop.robots.save_robot import save_robot as save_robot

# Scenarios and results
from limbless.scenarios.scenario import Scenario as Scenario
from limbless.scenarios.scenario import Initial as Initial
from limbless.models.initial_pose import Posture as Posture
from limbless.simulation.result import Result as Result
from limbless.simulation.session import Session as Session
from limbless.search.steady_motion.steady import SteadyMotion as SteadyMotion
from limbless.search.sweeps.sweep import Sweep as Sweep
from limbless.search.optimisation.optimise import Best as Best
from limbless.search.optimisation.optimise import Front as Front
from limbless.search.optimisation.optimisers import Evolution as Evolution
from limbless.search.optimisation.optimisers import Gradient as Gradient
from limbless.search.optimisation.optimisers import Search as Search
from limbless.search.studies.error_bars import ErrorBars as ErrorBars
from limbless.search.studies.connection import Connection as Connection
from limbless.search.studies.strokes import Loop as Loop
from limbless.search.studies.strokes import Stroke as Stroke
from limbless.search.studies.ladder import Ladder as Ladder
from limbless.search.studies.motor_sizing import MotorSizing as MotorSizing
from limbless.search.studies.robustness import Robustness as Robustness
from limbless.interop.films.film import Film as Film
from limbless.interop.identification.identified import Identified as Identified
from limbless.interop.identification.measured_run import MeasuredRun as MeasuredRun
from limbless.interop.log_files.joint_log import JointLog as JointLog
from limbless.interop.log_files.marker_track import MarkerTrack as MarkerTrack
from limbless.core.errors import InputError as InputError
from limbless.core.errors import SimulationError as SimulationError

# Robots
from limbless.robots.chain import Chain as Chain
from limbless.robots.rod import Rod as Rod
from limbless.robots.tendon_spine import TendonSpine as TendonSpine
from limbless.robots.tendon_spine import Tendon as Tendon
from limbless.robots.tendon_spine import Vertebra as Vertebra
from limbless.robots.joints import Joint as Joint
from limbless.robots.links import BodyShape as BodyShape
from limbless.robots.links import Link as Link
from limbless.robots.links import Sphere as Sphere
from limbless.robots.sections import Box as Box
from limbless.robots.sections import Capsule as Capsule
from limbless.robots.sections import EllipticCylinder as EllipticCylinder
from limbless.robots.sections import HalfEllipsoid as HalfEllipsoid
from limbless.robots.tendon import ChannelTendon as ChannelTendon
from limbless.robots.tendon import LinkTendon as LinkTendon
from limbless.robots.tendon import Winch as Winch
from limbless.robots.material import MaterialLaw as MaterialLaw
from limbless.robots.material import compiled_material as compiled_material
from limbless.robots.base import SkinFriction as SkinFriction
from limbless.interop.robots.robot_file import RobotFile as RobotFile
from limbless.robots.presets.aiko import Aiko as Aiko
from limbless.robots.presets.khalil_eel import KhalilEel as KhalilEel
from limbless.robots.presets.module_snake import ModuleSnake as ModuleSnake
from limbless.robots.presets.snake_neck import SnakeNeck as SnakeNeck
from limbless.robots.presets.serpent import Serpent as Serpent
from limbless.robots.presets.spine_45 import Spine45 as Spine45
from limbless.robots.presets.uniform_chain import UniformChain as UniformChain
from limbless.robots.presets.wang_snake import WangSnake as WangSnake

# Gaits
from limbless.control.gaits.body_wave import BodyWave as BodyWave
from limbless.control.gaits.concertina import Concertina as Concertina
from limbless.control.gaits.curvature_wave import CurvatureWave as CurvatureWave
from limbless.control.gaits.user_gait import FunctionGait as FunctionGait
from limbless.control.gaits.helix import Helix as Helix
from limbless.control.gaits.inchworm import Inchworm as Inchworm
from limbless.control.gaits.joint_wave import JointWave as JointWave
from limbless.control.gaits.muscle_wave import MuscleWave as MuscleWave
from limbless.control.gaits.peristalsis import Peristalsis as Peristalsis
from limbless.control.gaits.recorded import RecordedGait as RecordedGait
from limbless.control.gaits.sampled_curvature import SampledCurvature as SampledCurvature
from limbless.control.gaits.serpenoid import Serpenoid as Serpenoid
from limbless.control.gaits.shape_basis import Shapes as Shapes
from limbless.control.gaits.shape_loop import ShapeLoop as ShapeLoop
from limbless.control.gaits.sheared_curvature import ShearedCurvature as ShearedCurvature
from limbless.control.gaits.steered_curvature import SteeredCurvature as SteeredCurvature
from limbless.control.gaits.still import Still as Still
from limbless.control.gaits.tendon_paths import TendonPath as TendonPath
from limbless.control.gaits.tendon_paths import TensionGrid as TensionGrid
from limbless.control.gaits.tendon_paths import TipEight as TipEight
from limbless.control.gaits.tendon_paths import TipPath as TipPath
from limbless.control.gaits.tension_step import LengthStep as LengthStep
from limbless.control.gaits.tension_step import TensionStep as TensionStep
from limbless.control.gaits.tension_step import WinchStep as WinchStep
from limbless.control.gaits.tension_wave import TensionWave as TensionWave
from limbless.control.gaits.wave_and_reach import WaveAndReach as WaveAndReach
from limbless.control.gaits.travelling_curvature import TravellingCurvature as TravellingCurvature

# Environments
from limbless.environments.anchorage import Anchorage as Anchorage
from limbless.environments.body_drag import BodyDrag as BodyDrag
from limbless.environments.buoyancy import Buoyancy as Buoyancy
from limbless.environments.clamp import Clamp as Clamp
from limbless.environments.drag import Drag as Drag
from limbless.environments.user_law import ForceLaw as ForceLaw
from limbless.environments.user_law import compiled_law as compiled_law
from limbless.environments.gravity import Gravity as Gravity
from limbless.environments.ground import Ground as Ground
from limbless.environments.hard_surface import Patch as Patch
from limbless.environments.objects import FreeObject as FreeObject
from limbless.environments.objects import Objects as Objects
from limbless.environments.objects import SelfContact as SelfContact
from limbless.environments.obstacles import Boxes as Boxes
from limbless.environments.obstacles import Pegs as Pegs
from limbless.environments.pipe import Pipe as Pipe
from limbless.environments.point_wrench import PointWrench as PointWrench
from limbless.environments.regularised_friction import RegularisedFriction as RegularisedFriction
from limbless.environments.sand import Sand as Sand
from limbless.environments.support import Support as Support
from limbless.environments.sweeping_anchorage import SweepingAnchorage as SweepingAnchorage
from limbless.environments.terrain import Terrain as Terrain
from limbless.environments.water import Water as Water
from limbless.environments.wheels import Wheels as Wheels

# Actuations
from limbless.control.actuation.base import Motion as Motion
from limbless.control.actuation.base import Torque as Torque
from limbless.control.actuation.feedback import Motor as Motor
from limbless.control.actuation.feedback import ProportionalDerivative as ProportionalDerivative
from limbless.control.actuation.feedback import Servo as Servo
from limbless.control.actuation.muscles import Muscles as Muscles
from limbless.control.actuation.switched import DrivePhase as DrivePhase
from limbless.control.actuation.switched import Switched as Switched

# Controllers
from limbless.control.controllers.feedback import Feedback as Feedback
from limbless.control.controllers.function import FunctionController as FunctionController
from limbless.control.controllers.guidance import Guidance as Guidance
from limbless.control.controllers.oscillators import Oscillators as Oscillators
from limbless.control.controllers.rate_neurons import RateNeurons as RateNeurons
from limbless.control.controllers.compliance import ShapeCompliance as ShapeCompliance
from limbless.control.controllers.threshold_neurons import ThresholdNeurons as ThresholdNeurons

# Flows
from limbless.environments.flows.user_flow import FunctionFlow as FunctionFlow
from limbless.environments.flows.oscillating import OscillatingFlow as OscillatingFlow
from limbless.environments.flows.shear import ShearFlow as ShearFlow
from limbless.environments.flows.uniform import UniformFlow as UniformFlow
from limbless.environments.flows.vortices import VorticesFlow as VorticesFlow
from limbless.environments.flows.waves import WavesFlow as WavesFlow

# Models
from limbless.models.chain.geometry.geometric_equations import Geometric as Geometric
from limbless.models.geometric import GeometricSettings as GeometricSettings
from limbless.models.rod.rod_model import MacroContinuous as MacroContinuous
from limbless.models.macro_continuous import MacroContinuousSettings as MacroContinuousSettings
from limbless.models.chain.newton_euler_model import NewtonEuler as NewtonEuler
from limbless.models.newton_euler import NewtonEulerSettings as NewtonEulerSettings
from limbless.models.chain.contact.nonsmooth_model import NonSmooth as NonSmooth
from limbless.models.nonsmooth import NonSmoothSettings as NonSmoothSettings
from limbless.models.chain.soft.soft_model import Soft as Soft
from limbless.models.soft import SoftSettings as SoftSettings
from limbless.models.statics.statics_model import TendonStatics as TendonStatics
from limbless.models.tendon_statics import TendonStaticsSettings as TendonStaticsSettings

# Bases of classes of your own
from limbless.robots.base import Preset as Preset
from limbless.robots.base import Robot as Robot
from limbless.control.gaits.base import Drive as Drive
from limbless.control.gaits.base import Gait as Gait
from limbless.environments.base import Environment as Environment
from limbless.environments.constraint import Constraint as Constraint
from limbless.environments.constraint import Places as Places
from limbless.environments.flows.base import Flow as Flow
from limbless.control.actuation.base import Actuation as Actuation
from limbless.control.controllers import Controller as Controller
from limbless.control.controllers.base import ClosedLoop as ClosedLoop
from limbless.models.base import Model as Model
from limbless.models.base import ModelSettings as ModelSettings
from limbless.search.measures.measure_registry import Measure as Measure
from limbless.search.measures.measure_registry import measure as measure
from limbless.search.optimisation.goals import Evaluation as Evaluation
from limbless.core.description import Angle as Angle
from limbless.core.description import Description as Description
from limbless.core.description import Listed as Listed
from limbless.core.description import Nested as Nested
from limbless.core.description import Quantity as Quantity
from limbless.core.description import Vector3 as Vector3
from limbless.core.description import quantity as quantity
