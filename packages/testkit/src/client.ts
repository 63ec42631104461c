export {
  type Client as TestClient,
  type ClientResponse as TestResponse,
  createClient,
} from '../../server/src/demo/client.ts'
