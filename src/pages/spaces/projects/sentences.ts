/** Messages of the pages of projects: explanations, notices and empty states. */
import type { Visibility } from '../../../db/tables.ts'

export const visibilityMeaning: Record<Visibility, string> = {
  private: 'Only its members can see it.',
  internal: 'Everybody who is signed in can see it, but for external users.',
  public: 'Everybody can see it, signed in or not.',
}
export const restricted = 'Not allowed by your administrator.'
export const tooOpen = 'Not allowed in its group.'
export const moreOpenThanSource = 'Not allowed: what it is a fork of is less open.'

export const archivedWithGroup = 'This project is archived with its group: it can be read, and nothing in it changes.'
export const archived = 'This project is archived: it can be read, and nothing in it changes.'
export const deletedOn = (day: string): string =>
  `This project will be deleted on ${day}. Until then its owners can restore it in its settings.`
export const beingImported = 'Importing the repository.'
export const importFailed = 'The repository could not be imported.'
export const codeHidden = 'The code is for members of the project.'
export const starred = (name: string): string => `You starred ${name}.`
export const unstarred = (name: string): string => `You unstarred ${name}.`
export const requestPending = 'You requested access. The maintainers decide on it.'
export const countingLanguages = 'The languages are being counted.'

export const emptyRepository = 'This repository is empty'
export const waysToBegin = 'Create the first file here, or push from your computer. This page shows the files once they arrive.'
export const emptyForReaders = 'This repository is empty.'
export const pushNew = 'Push a new repository'
export const pushExisting = 'Push a repository that you have'
export const httpCredentials = 'Git asks for your username, and for a token as the password.'
export const sshCredentials = 'Needs an SSH key in your account.'

export const created = (name: string): string => `${name} created`
export const noNamespace = 'There is no namespace in which you may create projects.'
export const pathHint = 'The last part of its address. Leave empty to derive it from the name.'
export const importHint =
  'The address of a git repository, beginning with https:// or http://. Credentials in it are used for the import alone.'
export const archiveHint = 'An archive that a project was exported to. Members, settings and the repository come with it.'
export const importsOff = 'Your administrator does not allow this kind of import.'
export const noStars = 'Nobody has starred this project yet.'
export const noForks = 'There are no forks that you can see.'

export const forkMeaning =
  'A fork is a project of your own with a copy of the branches and tags. It can be changed without changing the original.'
export const waitingForTurn = 'Queued.'
export const goesOn = 'You can leave this page.'
export const importInto = 'Branches and tags of the other repository are copied into this one, which is still empty.'
export const importFinished = 'Repository ready.'
export const importStopped = 'Import stopped'
export const hadEnded = 'It had ended already.'
export const hasContent = 'Something has been pushed since, so the import cannot begin again.'
export const sendArchiveAgain = 'The archive was removed after the failure. Send it again as a new project.'
export const exportMeaning =
  'An export is an archive of the whole project: repository, large files, settings, members, releases and ' +
  'comments. Access tokens and keys are not in it. It is kept for a day.'
export const exportFailed = 'The last export failed. The log of the server says why.'
export const exportSending = 'The archive is being uploaded to where it was requested.'
export const exportStopped = 'Export stopped'
