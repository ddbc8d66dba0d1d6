/** Searches: what others may use of them. */
export {
  findCode,
  findCommits,
  findIssues,
  findMergeRequests,
  findMilestones,
  findNotes,
  findPeopleIn,
  type Search,
  type SearchPlace,
} from './find.service.ts'
export { noteLinks, pathsOf } from './present.ts'
