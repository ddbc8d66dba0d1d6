/** Push rules as JSON. */
import type { Static } from 'typebox'
import type { PushRule as Row } from '../../../db/tables.ts'
import type { ProjectPushRule, PushRule } from './push-rules.schema.ts'

export function presentPushRule(rule: Row): Static<typeof PushRule> {
  return {
    id: rule.id,
    created_at: rule.created_at,
    commit_message_regex: rule.commit_message_regex,
    commit_message_negative_regex: rule.commit_message_negative_regex,
    branch_name_regex: rule.branch_name_regex,
    author_email_regex: rule.author_email_regex,
    file_name_regex: rule.file_name_regex,
    max_file_size: rule.max_file_size,
    prevent_secrets: rule.prevent_secrets,
    allow_secrets_by_option: rule.allow_secrets_by_option,
    member_check: rule.member_check,
    commit_committer_check: rule.commit_committer_check,
    commit_committer_name_check: rule.commit_committer_name_check,
    reject_unsigned_commits: rule.reject_unsigned_commits,
    reject_non_dco_commits: rule.reject_non_dco_commits,
    deny_delete_tag: rule.deny_delete_tag,
  }
}

export function presentProjectPushRule(rule: Row): Static<typeof ProjectPushRule> {
  return Object.assign(presentPushRule(rule), { project_id: rule.project_id ?? 0 })
}
