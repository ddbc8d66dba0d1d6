/** Milestones: what others may use of them. */
export { milestoneUrl, type PlacedMilestone, presentMilestone } from './milestones.present.ts'
export { milestonesByIds } from './milestones.queries.ts'
