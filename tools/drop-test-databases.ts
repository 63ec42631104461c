import { dropTestDatabases } from '@gatehouse/testkit/postgres-databases'

/** Drops the databases that tests made at TEST_DATABASE_URL and that no process uses. */
await dropTestDatabases()
