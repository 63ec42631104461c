import { dropTestDatabases } from '../packages/server/src/storage/test-databases.fixture.ts'

/** Drops the databases that tests made at TEST_DATABASE_URL and that no process uses. */
await dropTestDatabases()
