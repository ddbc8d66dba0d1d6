/** Endpoints and jobs of notes, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { placeOnCommitsJob } from './commit-notes.jobs.ts'
import { notes } from './notes.endpoints.ts'
import { notePushJob } from './notes.jobs.ts'

export const discussionNotesFeature = feature({
  endpoints: section('Notes and discussions', notes),
  jobs: [notePushJob, placeOnCommitsJob],
})
