filedesc://2008-plain.arc 0.0.0.0 20080430204825 text/plain 73
1 1 WireService
URL IP-address Archive-date Content-type Archive-length

http://arc-plain.wire-service.example/robots.txt 192.0.2.9 20080430204825 text/plain 177
HTTP/1.1 200 OK
Content-Type: text/plain
Content-Length: 97
Server: httpd

##ACAP version=1.0
User-agent: *
Disallow: /print/

ACAP-crawler: *
ACAP-disallow-crawl: /print/

dns:arc-plain.wire-service.example 192.0.2.9 20080430204825 text/dns 66
20080430204825
arc-plain.wire-service.example.	600	IN	A	192.0.2.9

http://arc-plain.wire-service.example/1.html 192.0.2.9 20080430204825 text/html 257
HTTP/1.1 200 OK
Content-Type: text/html
Content-Length: 177
Server: httpd

<!DOCTYPE html>
<html>
<head>
<title>Report</title>
<meta name="robots" content="ACAP disallow-preserve">
</head>
<body>
<h1>Report</h1>
<p>Reports come in.</p>
</body>
</html>

http://arc-plain.wire-service.example/tide table.html 192.0.2.9 20080430204825 text/html; charset=utf-8 272
HTTP/1.1 200 OK
Content-Type: text/html; charset=utf-8
Content-Length: 177
Server: httpd

<!DOCTYPE html>
<html>
<head>
<title>Report</title>
<meta name="robots" content="ACAP disallow-preserve">
</head>
<body>
<h1>Report</h1>
<p>Reports come in.</p>
</body>
</html>

