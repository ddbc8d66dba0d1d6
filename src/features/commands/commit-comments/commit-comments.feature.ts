/** Endpoints of commit comments, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { commitComments } from './commit-comments.endpoints.ts'

export const commitCommentsFeature = feature({ endpoints: section('Commits', commitComments) })
