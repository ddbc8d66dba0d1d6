/** Messages of the pages of projects: explanations, notices and empty states. */

import type { Visibility } from '../../../db/tables.ts'
import { t, translated } from '../../../html/sentences.ts'

export const visibilityMeaning: Record<Visibility, string> = translated({
  private: 'Only its members can see it.',
  internal: 'Everybody who is signed in can see it, but for external users.',
  public: 'Everybody can see it, signed in or not.',
})
export const restricted = () => t`Not allowed by your administrator.`
export const tooOpen = () => t`Not allowed in its group.`
export const moreOpenThanSource = () => t`Not allowed: what it is a fork of is less open.`

export const archivedWithGroup = () => t`This project is archived with its group: it can be read, and nothing in it changes.`
export const archived = () => t`This project is archived: it can be read, and nothing in it changes.`
export const deletedOn = (day: string): string =>
  t`This project will be deleted on ${day}. Until then its owners can restore it in its settings.`
export const beingImported = () => t`Importing the repository.`
export const importFailed = () => t`The repository could not be imported.`
export const codeHidden = () => t`The code is for members of the project.`
export const starred = (name: string): string => t`You starred ${name}.`
export const unstarred = (name: string): string => t`You unstarred ${name}.`
export const requestPending = () => t`You requested access. The maintainers decide on it.`
export const countingLanguages = () => t`The languages are being counted.`

export const emptyRepository = () => t`This repository is empty`
export const waysToBegin = () => t`Create the first file here, or push from your computer. This page shows the files once they arrive.`
export const emptyForReaders = () => t`This repository is empty.`
export const pushNew = () => t`Push a new repository`
export const pushExisting = () => t`Push a repository that you have`
export const httpCredentials = () => t`Git asks for your username, and for a token as the password.`
export const sshCredentials = () => t`Needs an SSH key in your account.`

export const created = (name: string): string => t`${name} created`
export const noNamespace = () => t`There is no namespace in which you may create projects.`
export const pathHint = () => t`The last part of its address. Leave empty to derive it from the name.`
export const importHint = () =>
  t`The address of a git repository, beginning with https:// or http://. Credentials in it are used for the import alone.`
export const archiveHint = () => t`An archive that a project was exported to. Members, settings and the repository come with it.`
export const importsOff = () => t`Your administrator does not allow this kind of import.`
export const noStars = () => t`Nobody has starred this project yet.`
export const noForks = () => t`There are no forks that you can see.`

export const forkMeaning = () =>
  t`A fork is a project of your own with a copy of the branches and tags. It can be changed without changing the original.`
export const waitingForTurn = () => t`Queued.`
export const goesOn = () => t`You can leave this page.`
export const importInto = () => t`Branches and tags of the other repository are copied into this one, which is still empty.`
export const importFinished = () => t`Repository ready.`
export const importStopped = () => t`Import stopped`
export const hadEnded = () => t`It had ended already.`
export const hasContent = () => t`Something has been pushed since, so the import cannot begin again.`
export const sendArchiveAgain = () => t`The archive was removed after the failure. Send it again as a new project.`
export const exportMeaning = () => t`An export is an archive of the whole project: repository, large files, settings, members, releases and
    comments. Access tokens and keys are not in it. It is kept for a day.`
export const exportFailed = () => t`The last export failed. The log of the server says why.`
export const exportSending = () => t`The archive is being uploaded to where it was requested.`
export const exportStopped = () => t`Export stopped`
