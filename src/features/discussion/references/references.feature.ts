/** Endpoints and jobs of references, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { noteOnCommitsJob } from './commit-mentions.jobs.ts'
import { markdown } from './markdown.endpoints.ts'
import { readCommitsJob } from './references.jobs.ts'

export const referencesFeature = feature({ endpoints: section('Markdown', markdown), jobs: [readCommitsJob, noteOnCommitsJob] })
