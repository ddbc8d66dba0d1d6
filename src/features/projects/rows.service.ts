/** What other features ask of the row of a project alone. Nothing here leads to another feature, so any of them may ask. */
export { defaultBranchOf, lockProject, projectExists } from './projects.queries.ts'
