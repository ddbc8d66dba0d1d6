/** Issues of milestones: what others may use of them. */
export { countIssuesOfMilestones, type IssueCounts, listIssuesOfMilestone } from './milestone-issues.queries.ts'
