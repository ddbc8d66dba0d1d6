/** Sentences of the settings of approvals. */
import { t, translated } from '../../../html/sentences.ts'

export const sentences = translated({
  what: 'A merge request is merged once every rule that applies to it has its approvals, whoever merges it and however.',
  noRules: 'No approval is required: everybody who may merge can do so alone.',
  noGroupRules: 'This group requires no approval: each project has its own rules.',
  numberHint: 'With 0 the rule is optional: it suggests who may look at it.',
  peopleHint: 'Separated by commas. They need access to the code.',
  groupPeopleHint: 'Separated by commas. They count in each project whose code they can read.',
  groupsHint: 'Full paths, separated by commas: their direct members may approve.',
  anybody: 'Any developer',
  nobody: 'Too few of those it names can approve at present, so any maintainer may, too.',
  saved: 'The settings of approvals are saved.',
  created: (name: string) => t`The rule ${name} is created.`,
  changed: (name: string) => t`The rule ${name} is saved.`,
  removed: (name: string) => t`The rule ${name} is deleted.`,
  gone: 'This rule is not there any more. Somebody may have deleted it before you.',
  deletion: 'Requests that are open need its approvals no more.',
  hiddenGroups: 'It also names groups that you can’t see, which stay.',
  unknownPeople: (names: readonly string[]) => t`includes people without access here: ${names.join(', ')}`,
  unknownGroups: (names: readonly string[]) => t`includes groups that are not there: ${names.join(', ')}`,
  unknownUsers: (names: readonly string[]) => t`includes people who are not there: ${names.join(', ')}`,
  whatGroup: 'These rules apply to the protected branches of all projects below this group, beside those that each project has.',
  whatDemands: 'No project below this group can be less strict.',
  demanded: 'A group above demands some of this: no project can be less strict.',
  author: 'Authors may approve their own merge requests',
  committers: 'Who wrote or pushed commits of a merge request may not approve it',
  noReplacing: 'Merge requests may not replace these rules',
  noReplacingHint: 'Otherwise maintainers replace a rule for one merge request by a stricter one.',
  password: 'Approving asks for the password',
  selective: 'Except those of code owners whose files the push changes',
  selectiveHint: 'Where no push takes approvals away: who owns what has changed looks again.',
} as const)

export const resets = () =>
  [
    ['change', t`A push that changes the diff takes approvals away`, t`A rebase that changes nothing keeps them, and a note says so.`],
    ['push', t`Any push takes approvals away`, t`Whatever it changes.`],
    ['never', t`No push takes approvals away`, t`An approval counts for everything that is pushed later.`],
  ] as const
