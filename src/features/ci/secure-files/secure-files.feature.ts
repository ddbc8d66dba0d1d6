/** Endpoints of secure files, for the table of contents. */
import { section } from '../../../http/declare/endpoint.ts'
import { feature } from '../../feature.ts'
import { secureFiles } from './secure-files.endpoints.ts'

export const secureFilesFeature = feature({ endpoints: section('Secure files', secureFiles) })
