/** Packages in JSON. */
import { Type } from 'typebox'
import { Id, Instant, oneOf, resource } from '../../../http/parameters/schema.ts'

export const PackageResource = resource('Package', {
  id: Id,
  name: Type.String(),
  version: Type.String(),
  package_type: oneOf('generic'),
  status: oneOf('default', 'hidden'),
  _links: Type.Object({ web_path: Type.String(), delete_api_path: Type.String() }),
  created_at: Instant,
  tags: Type.Array(Type.String()),
})

export const GroupPackage = resource('GroupPackage', {
  ...PackageResource.properties,
  project_id: Id,
  project_path: Type.String(),
})

export const PackageFileResource = resource('PackageFile', {
  id: Id,
  package_id: Id,
  created_at: Instant,
  file_name: Type.String(),
  size: Type.Integer({ description: 'In bytes' }),
  file_sha256: Type.String(),
})
