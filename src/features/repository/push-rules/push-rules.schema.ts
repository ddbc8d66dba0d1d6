/** Push rules as JSON, and their parameters. */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/parameters/schema.ts'

const texts = {
  commit_message_regex: 'What every message of a commit must match',
  commit_message_negative_regex: 'What no message of a commit may match',
  branch_name_regex: 'What the name of every branch but the default one must match',
  author_email_regex: 'What the email addresses of authors and committers must match',
  file_name_regex: 'What the path of no new file may match',
}

const flags = {
  prevent_secrets: 'Whether files that look like secrets are denied',
  allow_secrets_by_option: 'Whether the option `secret_push_protection.skip_all` of a push lets them through, which the audit log tells',
  member_check: 'Whether authors must have an account with that email address',
  commit_committer_check: 'Whether the committer must have a confirmed email address of whoever pushes',
  commit_committer_name_check: 'Whether the author must have the name of whoever pushes',
  reject_unsigned_commits: 'Whether commits must be signed',
  reject_non_dco_commits: 'Whether messages must have a line `Signed-off-by`',
  deny_delete_tag: 'Whether git push may delete no tags',
}

const max_file_size = 'The largest file, in MiB; 0 for any'

const both = {
  id: Type.Integer(),
  created_at: Type.String(),
  commit_message_regex: Type.String({ description: texts.commit_message_regex }),
  commit_message_negative_regex: Type.String({ description: texts.commit_message_negative_regex }),
  branch_name_regex: Type.String({ description: texts.branch_name_regex }),
  author_email_regex: Type.String({ description: texts.author_email_regex }),
  file_name_regex: Type.String({ description: texts.file_name_regex }),
  max_file_size: Type.Integer({ description: max_file_size }),
  prevent_secrets: Type.Boolean({ description: flags.prevent_secrets }),
  allow_secrets_by_option: Type.Boolean({ description: flags.allow_secrets_by_option }),
  member_check: Type.Boolean({ description: flags.member_check }),
  commit_committer_check: Type.Boolean({ description: flags.commit_committer_check }),
  commit_committer_name_check: Type.Boolean({ description: flags.commit_committer_name_check }),
  reject_unsigned_commits: Type.Boolean({ description: flags.reject_unsigned_commits }),
  reject_non_dco_commits: Type.Boolean({ description: flags.reject_non_dco_commits }),
  deny_delete_tag: Type.Boolean({ description: flags.deny_delete_tag }),
}

export const PushRule = resource('PushRule', both)
export const ProjectPushRule = resource('ProjectPushRule', { ...both, project_id: Type.Integer() })

const regex = (name: keyof typeof texts) =>
  Type.Optional(nullable(Type.String({ description: `${texts[name]}: a regular expression in the syntax of RE2` })))
const flag = (name: keyof typeof flags) => Type.Optional(Type.Boolean({ description: flags[name] }))

export const pushRuleParameters = {
  commit_message_regex: regex('commit_message_regex'),
  commit_message_negative_regex: regex('commit_message_negative_regex'),
  branch_name_regex: regex('branch_name_regex'),
  author_email_regex: regex('author_email_regex'),
  file_name_regex: regex('file_name_regex'),
  max_file_size: Type.Optional(Type.Integer({ description: max_file_size })),
  prevent_secrets: flag('prevent_secrets'),
  allow_secrets_by_option: flag('allow_secrets_by_option'),
  member_check: flag('member_check'),
  commit_committer_check: flag('commit_committer_check'),
  commit_committer_name_check: flag('commit_committer_name_check'),
  reject_unsigned_commits: flag('reject_unsigned_commits'),
  reject_non_dco_commits: flag('reject_non_dco_commits'),
  deny_delete_tag: flag('deny_delete_tag'),
}
