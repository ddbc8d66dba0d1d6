/** Endpoints of merge requests, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { mergeRequestLists } from './lists.endpoints.ts'

export const reviewMergeRequestsFeature = feature({ endpoints: section('Merge requests', mergeRequestLists) })
