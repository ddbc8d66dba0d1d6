/** Links between issues as JSON. */
import { Type } from 'typebox'
import { Instant, oneOf, resource } from '../../../http/parameters/schema.ts'
import { Issue } from '../issues/issues.schema.ts'
import { linkTypes } from './issue-links.service.ts'

export const LinkType = oneOf(...linkTypes)

export const IssueLink = resource('IssueLink', {
  id: Type.Integer(),
  source_issue: Issue,
  target_issue: Issue,
  link_type: LinkType,
})

export const LinkedIssue = resource('LinkedIssue', {
  ...Issue.properties,
  issue_link_id: Type.Integer(),
  link_type: LinkType,
  link_created_at: Instant,
  link_updated_at: Instant,
})
