/** Links between issues: what others may use of them. */
export { type LinkedIssue, listLinked } from './issue-links.queries.ts'
export { linkIssues, linkTypes, typeSeenFrom, unlinkIssues } from './issue-links.service.ts'
