export {
  type Client as TestClient,
  type ClientResponse as TestResponse,
  createClient,
  type Exchange,
} from '../../server/src/demo/client.ts'
