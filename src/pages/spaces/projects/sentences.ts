/** What the pages of projects say: explanations, notices and empty states. */
import type { Visibility } from '../../../db/tables.ts'

export const visibilityMeaning: Record<Visibility, string> = {
  private: 'Only its members can see it.',
  internal: 'Everybody who is signed in can see it, but for external users.',
  public: 'Everybody can see it, signed in or not.',
}
export const restricted = 'Not allowed by your administrator.'
export const tooOpen = 'Not allowed in its group.'
export const moreOpenThanSource = 'Not allowed: what it is a fork of is less open.'

export const archived = 'This project is archived: it can be read, and nothing in it changes.'
export const beingImported = 'The repository is still being brought here.'
export const importFailed = 'The repository could not be brought here.'
export const codeHidden = 'The code is for members of the project.'
export const starred = (name: string): string => `You starred ${name}.`
export const unstarred = (name: string): string => `You unstarred ${name}.`
export const requestPending = 'You requested access. The maintainers decide on it.'
export const countingLanguages = 'The languages are being counted.'

export const emptyRepository = 'The repository is empty. These commands fill it.'
export const emptyForReaders = 'The repository is empty.'
export const pushNew = 'Begin a repository'
export const pushExisting = 'Push a repository that is on your machine'

export const created = (name: string): string => `${name} has been created.`
export const noNamespace = 'There is no namespace in which you may create projects.'
export const pathHint = 'The last part of its address. Left empty, it is made from the name.'
export const importHint =
  'The address of a git repository, beginning with https:// or http://. Credentials in it are used for the import alone.'
export const archiveHint = 'An archive that a project was exported to. Members, settings and the repository come with it.'
export const importsOff = 'Your administrator does not allow this kind of import.'
export const noStars = 'Nobody has starred this project yet.'
export const noForks = 'There are no forks that you can see.'
