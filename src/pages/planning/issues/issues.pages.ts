/** The pages of issues of a project. */
import { detailPages } from './details.pages.ts'
import { editIssuePages } from './edit.pages.ts'
import { issuePages } from './issue.pages.ts'
import { issueListPages } from './list.pages.ts'
import { newIssuePages } from './new.pages.ts'

export const issuesPages = [...issueListPages, ...newIssuePages, ...editIssuePages, ...detailPages, ...issuePages]
