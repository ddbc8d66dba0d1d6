/** Sentences of the settings of a repository. */

import { count } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'

export const settingSentences = translated({
  defaultBranch: 'New clones begin on this branch, and pages show it first.',
  defaultSaved: (name: string) => t`The default branch is now ${name}.`,
  empty: 'This repository is empty. The first branch that is pushed becomes the default branch.',
})

export const protectionSentences = translated({
  branches: 'Nobody deletes or rewrites a protected branch by a push, and only those named here push or merge to it.',
  tags: 'Only those named here create a protected tag, and nobody moves or deletes it while it is protected.',
  nameHint: 'A name, or a wildcard: release/* protects every branch that begins with release/.',
  tagNameHint: 'A name, or a wildcard such as v*.',
  noBranches: 'No branch is protected: every developer may push to, rewrite and delete all of them.',
  noTags: 'No tag is protected: every developer may create any, and maintainers delete them.',
  forced: 'Those who may push may also rewrite its history.',
  codeOwners: 'What the CODEOWNERS file names is changed by merge requests that its owners approve.',
  protected: (name: string) => t`${name} is protected now.`,
  changed: (name: string) => t`Protection of ${name} changed`,
  unprotected: (name: string) => t`${name} is not protected any more.`,
  gone: 'This protection is not there any more. Somebody may have removed it before you.',
  taken: (name: string) => t`${name} is protected already. Change its levels in the list.`,
  matches: (branches: number, kind: 'branch' | 'tag') =>
    kind === 'branch'
      ? branches === 0
        ? t`no branch yet`
        : count(branches, 'branch', 'branches')
      : branches === 0
        ? t`no tag yet`
        : count(branches, 'tag'),
  noMatches: (kind: 'branch' | 'tag') =>
    kind === 'branch'
      ? t`No branch has a name that fits. Those to come will be protected.`
      : t`No tag has a name that fits. Those to come will be protected.`,
  manyRefs: 'Not counted: there are too many names to compare at once.',
})

export const deployKeySentences = translated({
  what: 'SSH keys of machines: each reads this repository, and may push if you let it. They belong to no user.',
  none: 'No deploy key has access to this project.',
  titleHint: 'Such as the machine it is on.',
  keyHint: 'The public key: the line in the .pub file.',
  pushHint: 'Otherwise it only reads.',
  elsewhere: 'Keys of other projects you are a member of. A key that is enabled reads this repository.',
  public: 'Keys that administrators offer to all projects.',
  added: (title: string) => t`Key ${title} added`,
  saved: (title: string) => t`Key ${title} saved`,
  enabled: (title: string) => t`The key ${title} is enabled, and reads this repository.`,
  removed: (title: string) => t`The key ${title} has no access to this project any more.`,
  gone: 'This key is not there any more. Somebody may have removed it before you.',
  deletion: 'The machine loses access at once. A key that no other project has is deleted.',
})

export const deployTokenSentences = translated({
  what: 'A user name and a password with which machines read this repository over HTTPS. They belong to no user.',
  none: 'This project has no deploy tokens.',
  nameHint: 'What it is for.',
  expiryHint: 'Empty: it never expires.',
  usernameHint: 'One is made up unless given.',
  registry: 'Accepted because clients ask for it; there is no registry.',
  once: 'Copy the token now: it is not shown again.',
  revoked: (name: string) => t`Deploy token ${name} revoked`,
  gone: 'This token is not there any more. Somebody may have revoked it before you.',
  deletion: 'Whatever uses it loses access at once.',
})

export const housekeepingSentences = translated({
  what: 'Packs objects and refs so that clones and pages stay fast. It runs by itself after pushes, and goes on when you leave this page.',
  started: 'Housekeeping has started. It goes on in the background.',
  running: 'Housekeeping is waiting or running.',
  busy: 'Housekeeping is already waiting or running. It was not started again.',
})

export const mirrorSentences = translated({
  what: 'A repository elsewhere that follows this one: it gets the same branches, tags and large files soon after each push.',
  none: 'No repository elsewhere follows this one.',
  following: 'This project can follow a repository elsewhere: every half hour it gets what is new there, as pushes of whoever set it up.',
  urlHint: 'https:// or ssh://, such as https://git.example.com/group/hello.git.',
  passwordHint: 'A password or a token. It is kept encrypted and not shown again.',
  passwordKept: 'It is kept encrypted and not shown. Leave it empty to keep it.',
  keyHint: 'Over SSH. The mirror gets a key of its own, which is shown then: allow it at the other server.',
  hostKeysHint: 'As ssh-keyscan writes them. Empty: the key of the first connection is pinned.',
  hostKeysKept: 'As ssh-keyscan writes them, in place of the pinned ones. Leave it empty to keep these.',
  regexHint: 'A regular expression (RE2). Empty: all branches.',
  divergentHint: 'Otherwise they are overwritten.',
  overwritesHint: 'Branches that have commits of their own here. Otherwise they stay as they are.',
  added: 'The mirror was added.',
  saved: 'The mirror was saved.',
  removed: 'The mirror was removed. The repository elsewhere stays as it is.',
  asked: 'The update was queued.',
  gone: 'This mirror is not there any more. Somebody may have removed it before you.',
  removal: 'The repository elsewhere stays as it is, and follows no more.',
  publicKey: 'Allow this key at the other server.',
  saving: 'From now on the mirror runs in your name.',
})

/** Labels of the states. */
export const mirrorStates = translated({
  none: 'never updated',
  scheduled: 'waiting',
  started: 'running',
  finished: 'up to date',
  to_retry: 'failed, tried again',
  failed: 'failed',
} as const)
