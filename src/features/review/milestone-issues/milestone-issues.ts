/** Issues of milestones: what other features may use. */
export { countIssuesOfMilestones, type IssueCounts, listIssuesOfMilestone } from './milestone-issues.queries.ts'
