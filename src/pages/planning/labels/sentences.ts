/** Messages of the pages of labels. */
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  none: 'There are no labels yet. A label sorts issues: by kind, by part, by urgency.',
  noneFound: 'No label has this in its name.',
  inherited: 'Of a group above: it is changed there.',
  priorityHint: 'Issues are sorted by it: 0 comes first. Leave empty for none.',
  colorHint: 'A color of CSS: #1a7f37, or a name such as teal.',
  deletion: 'The label is removed from all issues and boards. This can’t be undone.',
  promotion: 'The label moves to the group, with those of the same name in its other projects. This can’t be undone.',
  created: (name: string) => t`Label ${name} created`,
  changed: (name: string) => t`Label ${name} saved`,
  deleted: (name: string) => t`Label ${name} deleted`,
  promoted: (name: string) => t`Label ${name} is a label of the group now.`,
  subscribed: (name: string) => t`You are subscribed to label ${name}.`,
  unsubscribed: (name: string) => t`You are no longer subscribed to label ${name}.`,
} as const)
