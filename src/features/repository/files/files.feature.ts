/** Endpoints of files, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { files } from './files.endpoints.ts'
import { fileWrites } from './writes.endpoints.ts'

export const filesFeature = feature({ endpoints: section('Files', files, fileWrites) })
