/** Endpoints and jobs of notes, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { noteChanges } from './notes.endpoints.ts'
import { mergeAskedJob } from './notes.jobs.ts'

export const commandsNotesFeature = feature({ endpoints: section('Notes and discussions', noteChanges), jobs: [mergeAskedJob] })
