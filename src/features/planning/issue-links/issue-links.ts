/** Links between issues: what other features may use. */
export { type LinkedIssue, listLinked } from './issue-links.queries.ts'
export { linkIssues, linkTypes, typeSeenFrom, unlinkIssues } from './issue-links.service.ts'
