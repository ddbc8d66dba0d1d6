/** Messages of the pages of groups. */
import { t, translated } from '../../../html/sentences.ts'

export const nothingHere = () => t`There is nothing in this group that you can see.`
export const firstInGroup = () => t`This group is empty. Create a project in it, or a subgroup.`
export const nothingMatches = () => t`Nothing in this group matches.`
export const nothingShared = () => t`No project of another group is shared with this group.`
export const nothingArchived = () => t`No project in this group or below it is archived.`
export const sharedWith = () => t`Members of these groups have access to this group and everything below it.`

export const explainGroups = () =>
  t`A group holds projects and subgroups. Whoever is a member of it is a member of everything below it, with the same role.`
export const pathHint = () => t`Letters, digits, “_”, “-” and “.”. Leave it empty to derive it from the name.`
export const noNewGroups = () =>
  t`You may not create groups at the top. An administrator can permit it, or an owner of a group can create one below it.`
export const noNewSubgroups = () => t`Only owners of a group create groups below it.`

export const visibilityHints = translated({
  private: 'Only members see the group.',
  internal: 'Everybody who is signed in sees it, except external users.',
  public: 'Everybody sees it, signed in or not.',
} as const)

export const requestsHint = () => t`People who see the group can ask its owners to become members.`
export const lfsHint = () => t`Where this is off, it is off for every project in the group and below it.`
export const secondFactorHint = () =>
  t`Members of the groups above and below need one, too. They are led to setting it up before any other page.`
export const graceHint = () => t`Hours in which members may put it off. 0 lets them put off nothing.`
export const avatarHint = () => t`An image of at most 200 KB. The content decides its type, not the name.`

export const renameHint = () => t`The addresses of the group and of everything below it change.`
export const whatRenaming = () => t`Pages and git find projects at their former addresses until something else takes those. The page of the
    group itself moves without a redirect, and so do those of its subgroups.`
export const whatTransfer =
  () => t`The group moves with everything below it, and its address changes. Whoever is a member through the former
    parent loses that access; members of the new parent gain access. Projects and groups that are more visible
    than the new parent become as visible as it.`
export const parentHint = () => t`The full path of a group that you own. Leave it empty to move the group to the top.`
export const noSuchParent = () => t`is not the path of a group that you can see.`
export const whatDeletion = () => t`Deletes the group, its subgroups, all projects in them with their repositories, and every membership.
    Where the server has it so, it can be restored for some days; otherwise this cannot be undone.`
export const wrongName = (path: string): string => t`must be ${path}.`

export const requestsWaiting = () => t`You have requested access. An owner decides.`
export const whatLeaving = () => t`You lose access to this group and what is below it, unless you have it in another way.`

export const created = (name: string): string => t`Group ${name} created`
export const saved = () => t`Changes saved`
export const avatarRemoved = () => t`Picture removed`
export const renamed = (path: string): string => t`The group is now at ${path}.`
export const transferred = (path: string): string => t`The group has moved to ${path}.`
export const deleted = (name: string): string => t`Group ${name} is being deleted.`
export const deletedOn = (name: string, day: string): string => t`Group ${name} will be deleted on ${day}. Until then it can be restored.`
export const restored = (name: string): string => t`Group ${name} restored`
export const whatRestoring = () => t`The group, and all that was deleted with it, is again what it was.`

export const archivedGroup = () => t`This group is archived: it can be read, and nothing in it changes.`
export const archivedWithParent = () => t`It is archived with a group above it, and is unarchived with that one.`
export const whatArchiving =
  () => t`Everything in an archived group, subgroups and projects, can be read, cloned and starred. Nothing can be pushed to it,
    created in it or changed in it until the group is unarchived. What was archived by itself stays archived then.`
export const archivedNow = (name: string): string => t`Group ${name} archived`
export const unarchivedNow = (name: string): string => t`Group ${name} is no longer archived.`

export const exportMeaning =
  () => t`An export is an archive of the group with every group below it: settings, pictures, members, labels, milestones, boards, badges
    and wikis. Projects have exports of their own. Variables, tokens and webhooks are not in it. It is kept for a day.`
export const exportFailed = () => t`The last export failed. The log of the server says why.`
export const exportQueued = () => t`The archive is being made. You can leave this page.`
export const whatExport = () => t`An archive of the group without its projects, for another server or another place.`
export const whatImport =
  () => t`Groups come from an archive that was exported here or on another server, each at most as visible as the group above it.
    Members come with it if an administrator imports an archive that an administrator exported.`
export const importsOff = () => t`The administrator has disabled imports of archives.`
export const imported = (name: string): string => t`Group ${name} imported`
export const directory = translated({
  what:
    'Whoever the directory (LDAP) names in these groups is a member here, with the role of the link. ' +
    'It is followed every hour, and soon after a change.',
  noDirectory: 'This instance has no directory (LDAP) any more: links have no effect.',
  none: 'The group has no links to the directory.',
  noGroupBase: 'Groups can’t be linked by name: the server has no GITSTEAD_LDAP_GROUP_BASE.',
  aGroup: 'a group of the directory',
  aFilter: 'a filter of people',
  nameHint: 'As the group is called in the directory, such as developers.',
  filterHint: 'In the syntax of LDAP, such as (departmentNumber=42).',
  added: 'Linked. Its people become members in a moment.',
  removal: 'Its members stay until you remove them.',
  removed: 'Link removed',
  syncing: 'The directory is followed in a moment.',
})
