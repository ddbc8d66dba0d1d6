/** Words of the pages of push rules. */
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  what:
    'A push is denied before anything of it is kept, and says why. Commits by the API, pages and merges follow the same rules; ' +
    'imports and mirrors don’t.',
  own: {
    project: 'These rules are of this project, in place of those of its groups and of the instance.',
    group: 'For the projects in this group and below, unless a project or a nearer group has rules of its own.',
    instance: 'For all projects, unless a project or one of its groups has rules of its own.',
  },
  none: { project: 'No rules are in force.', group: 'This group has no rules.', instance: 'The instance has no rules.' },
  inherited: (from: string) => t`In force are the rules of ${from}. Saved here, they become rules of this project alone.`,
  ofGroup: 'a group above',
  ofInstance: 'the instance',
  saved: 'The push rules were saved.',
  removed: 'The push rules were removed.',
  removal: {
    project: 'The rules of its groups or of the instance follow.',
    group: 'The rules above it follow.',
    instance: 'Projects and groups keep theirs.',
  },
  syntax: 'A regular expression (RE2). Empty: anything.',
  regexes: {
    commit_message_regex: ['Messages must match', 'A regular expression (RE2); ^ and $ are at each line. Empty: anything.'],
    commit_message_negative_regex: ['Messages may not match', 'As above.'],
    branch_name_regex: ['Names of branches must match', 'The default branch is always allowed.'],
    author_email_regex: ['Addresses of authors and committers must match', 'Such as @example\\.com$'],
    file_name_regex: ['Paths of new files may not match', 'Such as \\.(exe|jar)$'],
  },
  size: ['Largest file in MiB', '0 for any. Files of Git LFS don’t count.'],
  flags: {
    prevent_secrets: ['Deny what looks like secrets', 'Keys and tokens of known kinds, in files up to 1 MiB, and files named as keys are.'],
    allow_secrets_by_option: ['Let git push -o secret_push_protection.skip_all through', 'The audit log tells who let what through.'],
    member_check: ['Authors need an account', 'With the address of the commit.'],
    commit_committer_check: ['Committers push their own commits', 'With a confirmed address of whoever pushes.'],
    commit_committer_name_check: ['Authors are called as their account is', undefined],
    reject_unsigned_commits: ['Commits must be signed', 'Not those that the server writes.'],
    reject_non_dco_commits: ['Messages need a line Signed-off-by', 'The Developer Certificate of Origin: git commit --signoff.'],
    deny_delete_tag: ['git push deletes no tags', 'Pages and the API still do.'],
  },
} as const)
