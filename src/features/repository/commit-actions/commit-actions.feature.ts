/** Endpoints of commit actions, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { commitWrites } from './commit-actions.endpoints.ts'

export const commitActionsFeature = feature({ endpoints: section('Commits', commitWrites) })
