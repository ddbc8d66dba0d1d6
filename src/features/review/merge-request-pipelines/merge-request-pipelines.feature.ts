/** Endpoints and jobs of merge request pipelines, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { mergeRequestPipelines } from './merge-request-pipelines.endpoints.ts'
import { buildMergeRequestJob } from './merge-request-pipelines.jobs.ts'

export const mergeRequestPipelinesFeature = feature({
  endpoints: section('Pipelines', mergeRequestPipelines),
  jobs: [buildMergeRequestJob],
})
