/** For tools that record a database with rows in every table. */
export { backupDatabase } from '../../server/src/storage/backup.ts'
export { populate } from '../../server/src/storage/copy/populated.fixture.ts'
