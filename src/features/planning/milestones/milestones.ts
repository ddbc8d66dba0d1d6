/** Milestones: what other features may use. */
export { milestoneToRead } from './milestones.access.ts'
export { milestonePath, milestoneUrl, type PlacedMilestone, presentMilestone } from './milestones.present.ts'
export {
  listMilestones,
  listMilestonesOfMember,
  type MilestoneFilter,
  milestonesByIds,
  placedMilestones,
  searchMilestones,
  visibleMilestones,
} from './milestones.queries.ts'
export {
  changeMilestone,
  createMilestone,
  findMilestone,
  findMilestoneFor,
  findMilestoneNumbered,
  findMilestonesTitled,
  findMilestoneTitled,
  type MilestoneChange,
  milestoneInPlace,
  milestonePlace,
  type NewMilestone,
  removeMilestone,
} from './milestones.service.ts'
export { developersOfGroup, promoteMilestone } from './promotion.ts'
