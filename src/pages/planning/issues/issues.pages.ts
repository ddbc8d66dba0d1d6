/** The pages of issues of a project. */
import { issuePages } from './issue.pages.ts'
import { issueListPages } from './list.pages.ts'

export const issuesPages = [...issueListPages, ...issuePages]
