/** External issue trackers that references in texts link to: Bugzilla, Redmine, and custom ones. */
import type { Field, Kind } from './kind.ts'

const urls: Field[] = [
  { name: 'project_url', title: 'Project URL', type: 'text', required: true, isUrl: true },
  {
    name: 'issues_url',
    title: 'Issue URL',
    type: 'text',
    required: true,
    isUrl: true,
    help: 'With :id where the number of the issue belongs',
  },
  { name: 'new_issue_url', title: 'URL of a new issue', type: 'text', required: true, isUrl: true },
]
const named: Field[] = [
  { name: 'title', title: 'Title', type: 'text' },
  { name: 'description', title: 'Description', type: 'text' },
]

const help = 'PROJECT-123 in texts links to issue 123 there; so does #123, where the project has no issues of its own.'

export const bugzilla: Kind = {
  slug: 'bugzilla',
  title: 'Bugzilla',
  description: 'Link references in texts to issues in Bugzilla',
  help,
  group: 'tracker',
  fields: [...urls, ...named],
  events: [],
}

export const redmine: Kind = {
  ...bugzilla,
  slug: 'redmine',
  title: 'Redmine',
  description: 'Link references in texts to issues in Redmine',
}

export const customIssueTracker: Kind = {
  ...bugzilla,
  slug: 'custom-issue-tracker',
  title: 'Custom issue tracker',
  description: 'Link references in texts to issues in a tracker of your own',
}
