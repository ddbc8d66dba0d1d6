/** Searches: what other features may use. */
export {
  findCode,
  findCommits,
  findInWiki,
  findIssues,
  findMergeRequests,
  findMilestones,
  findNotes,
  findPeopleIn,
  findSnippets,
  type Search,
  type SearchPlace,
} from './find.service.ts'
export { noteLinks, pathsOf } from './present.ts'
