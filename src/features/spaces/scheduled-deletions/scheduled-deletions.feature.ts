/** Endpoints and jobs of deletion, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { groupDeletions, projectDeletions } from './scheduled-deletions.endpoints.ts'
import { removeDueJob } from './scheduled-deletions.jobs.ts'

export const scheduledDeletionsFeature = feature({
  endpoints: [...section('Projects', projectDeletions), ...section('Groups', groupDeletions)],
  jobs: [removeDueJob],
})
