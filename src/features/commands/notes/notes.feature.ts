/** Endpoints and jobs of notes, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { noteWrites } from './notes.endpoints.ts'
import { mergeAskedJob, rebaseAskedJob } from './notes.jobs.ts'

export const commandsNotesFeature = feature({
  endpoints: section('Notes and discussions', noteWrites),
  jobs: [mergeAskedJob, rebaseAskedJob],
})
