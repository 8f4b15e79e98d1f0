/** RFC 7541, appendix A: names and values by turns. Indexes begin with 1. */
const ENTRIES = `:authority|
:method|GET
:method|POST
:path|/
:path|/index.html
:scheme|http
:scheme|https
:status|200
:status|204
:status|206
:status|304
:status|400
:status|404
:status|500
accept-charset|
accept-encoding|gzip, deflate
accept-language|
accept-ranges|
accept|
access-control-allow-origin|
age|
allow|
authorization|
cache-control|
content-disposition|
content-encoding|
content-language|
content-length|
content-location|
content-range|
content-type|
cookie|
date|
etag|
expect|
expires|
from|
host|
if-match|
if-modified-since|
if-none-match|
if-range|
if-unmodified-since|
last-modified|
link|
location|
max-forwards|
proxy-authenticate|
proxy-authorization|
range|
referer|
refresh|
retry-after|
server|
set-cookie|
strict-transport-security|
transfer-encoding|
user-agent|
vary|
via|
www-authenticate|`
  .split('\n')
  .map((line) => line.split('|'));

export const STATIC_COUNT = 61;
/** By index. The entry of index 0 does not exist. */
export const staticNames: readonly string[] = ['', ...ENTRIES.map(([name = '']) => name)];
export const staticValues: readonly string[] = ['', ...ENTRIES.map(([, value = '']) => value)];
