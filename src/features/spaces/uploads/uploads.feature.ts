/** Endpoints of uploads, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { uploads } from './uploads.endpoints.ts'

export const uploadsFeature = feature({ endpoints: section('Projects', uploads) })
