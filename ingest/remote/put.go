package remote

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// digestKey is the metadata of an object with its SHA-256. The ETag of an object written in parts is no digest.
const digestKey = "sha256"

// anyObject is the condition that no object has the name.
const anyObject = "*"

// Objects larger than DefaultPartBytes are written in parts.
const (
	DefaultPartBytes = 32 << 20
	maxParts         = 10_000 // of S3
)

// abortTime limits the request that removes the parts of a failed upload.
const abortTime = 10 * time.Second

// noBucket is the error code of S3 for a bucket that does not exist.
const noBucket = "NoSuchBucket"

// noKey is the error code of S3 for an object that does not exist.
const noKey = "NoSuchKey"

// noUpload is the error code of S3 for an upload in parts that does not exist, or not any more.
const noUpload = "NoSuchUpload"

// errNoConditions means that a service does not support conditional PUTs.
var errNoConditions = errors.New("the service knows no conditional PUT")

// send makes one request with a body to a host, when the rate allows. The server is not idle while the body is read.
func (c *Client) send(ctx context.Context, host string, body io.ReadSeeker,
	request func(ctx context.Context, body io.ReadSeeker) error) error {
	if err := c.waitTurn(ctx, host); err != nil {
		return err
	}
	ctx, w := c.withIdleTimer(ctx, host)
	defer w.end()
	if err := request(ctx, &sending{body, w}); err != nil {
		return w.cause(err)
	}
	c.succeeded(host)
	return nil
}

// sending is the body of a request.
type sending struct {
	io.ReadSeeker
	idle *idleTimer
}

func (s *sending) Read(p []byte) (int, error) {
	s.idle.start()
	return s.ReadSeeker.Read(p)
}

// sendEmpty is send for a request without a body.
func (c *Client) sendEmpty(ctx context.Context, host string, request func(ctx context.Context) error) error {
	return c.send(ctx, host, nil, func(ctx context.Context, _ io.ReadSeeker) error { return request(ctx) })
}

// explainPut is explain for requests that write. It returns fs.ErrExist if an object has the name and the put requires
// a new one.
func (s *s3Service) explainPut(at location, err error) error {
	var answered *awshttp.ResponseError
	if errors.As(err, &answered) && answered.Response != nil {
		switch answered.HTTPStatusCode() {
		case http.StatusPreconditionFailed:
			return permanentError{fs.ErrExist}
		case http.StatusNotImplemented:
			return permanentError{errNoConditions}
		}
	}
	return s.explain(at, err)
}

// A put is an object to be written.
type put struct {
	at      location
	body    io.ReaderAt
	size    int64
	digest  string // SHA-256, in lower-case hexadecimal
	onlyNew bool   // fs.ErrExist if an object has the name
}

func (p *put) condition() *string {
	if p.onlyNew {
		return aws.String(anyObject)
	}
	return nil
}

func (p *put) metadata() map[string]string { return map[string]string{digestKey: p.digest} }

// put writes an object with one request.
func (s *s3Service) put(ctx context.Context, p *put) error {
	api, err := s.connect(ctx)
	if err != nil {
		return err
	}
	return s.client.send(ctx, p.at.host, io.NewSectionReader(p.body, 0, p.size),
		func(ctx context.Context, body io.ReadSeeker) error {
			_, err := api.PutObject(ctx, &s3.PutObjectInput{
				Bucket: &p.at.bucket, Key: &p.at.key, Body: body, ContentLength: &p.size, Metadata: p.metadata(),
				IfNoneMatch: p.condition(),
			})
			return s.explainPut(p.at, err)
		})
}

// putParts writes an object with one request for each part of partBytes. The object appears with the last request.
func (s *s3Service) putParts(ctx context.Context, p *put, partBytes int64) error {
	api, err := s.connect(ctx)
	if err != nil {
		return err
	}
	partBytes = max(partBytes, (p.size+maxParts-1)/maxParts)
	var id *string
	err = s.retry(ctx, p.at, func() error {
		return s.client.sendEmpty(ctx, p.at.host, func(ctx context.Context) error {
			out, err := api.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &p.at.bucket,
				Key: &p.at.key, Metadata: p.metadata()})
			if err == nil {
				id = out.UploadId
			}
			return s.explainPut(p.at, err)
		})
	})
	if err != nil {
		return err
	}
	err = s.parts(ctx, api, p, id, partBytes)
	if err != nil {
		// If this fails, the parts stay, and cost their owner.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
		defer cancel()
		_, _ = api.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &p.at.bucket, Key: &p.at.key,
			UploadId: id})
	}
	return err
}

func (s *s3Service) parts(ctx context.Context, api *s3.Client, p *put, id *string, partBytes int64) error {
	var done []types.CompletedPart
	for from := int64(0); from < p.size; from += partBytes {
		number, n := int32(len(done)+1), min(partBytes, p.size-from)
		err := s.retry(ctx, p.at, func() error {
			return s.client.send(ctx, p.at.host, io.NewSectionReader(p.body, from, n),
				func(ctx context.Context, body io.ReadSeeker) error {
					out, err := api.UploadPart(ctx, &s3.UploadPartInput{
						Bucket: &p.at.bucket, Key: &p.at.key, UploadId: id, PartNumber: &number, Body: body,
						ContentLength: &n,
					})
					if err == nil {
						done = append(done, types.CompletedPart{ETag: out.ETag, PartNumber: &number})
					}
					return s.explainPut(p.at, err)
				})
		})
		if err != nil {
			return err
		}
	}
	return s.retry(ctx, p.at, func() error {
		return s.client.sendEmpty(ctx, p.at.host, func(ctx context.Context) error {
			_, err := api.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
				Bucket: &p.at.bucket, Key: &p.at.key, UploadId: id, IfNoneMatch: p.condition(),
				MultipartUpload: &types.CompletedMultipartUpload{Parts: done},
			})
			err = s.explainPut(p.at, err)
			var no *refusal
			if errors.As(err, &no) && no.code == noUpload {
				// the try before came to its end, and its answer was lost; else the object is not there, and Folder
				// looks
				return permanentError{fs.ErrExist}
			}
			return err
		})
	})
}

// retry is Client.try from zero failures.
func (s *s3Service) retry(ctx context.Context, at location, request func() error) error {
	return s.client.try(ctx, at, new(attempts), request)
}

// objectInfo describes an object.
type objectInfo struct {
	size     int64
	digest   string // SHA-256; "" if another tool wrote the object
	modified time.Time
}

func (s *s3Service) stat(ctx context.Context, at location) (found objectInfo, err error) {
	api, err := s.connect(ctx)
	if err != nil {
		return found, err
	}
	err = s.client.sendEmpty(ctx, at.host, func(ctx context.Context) error {
		out, err := api.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &at.bucket, Key: &at.key})
		if err != nil {
			return s.explain(at, err)
		}
		found = objectInfo{length(out.ContentLength), out.Metadata[digestKey], aws.ToTime(out.LastModified)}
		return nil
	})
	return found, err
}

// escapeKey writes a key as a request to copy names it. A slash and an equals sign, which part files have in their
// names, stay: some services, such as s3rver, do not decode them.
func escapeKey(key string) string {
	return strings.NewReplacer("+", "%20", "%2F", "/", "%3D", "=").Replace(url.QueryEscape(key))
}

// copy copies an object within the bucket, without a download.
func (s *s3Service) copy(ctx context.Context, from, to location) error {
	api, err := s.connect(ctx)
	if err != nil {
		return err
	}
	return s.client.sendEmpty(ctx, to.host, func(ctx context.Context) error {
		_, err := api.CopyObject(ctx, &s3.CopyObjectInput{
			Bucket: &to.bucket, Key: &to.key, CopySource: aws.String(from.bucket + "/" + escapeKey(from.key)),
		})
		return s.explain(from, err)
	})
}

func (s *s3Service) remove(ctx context.Context, at location) error {
	api, err := s.connect(ctx)
	if err != nil {
		return err
	}
	return s.client.sendEmpty(ctx, at.host, func(ctx context.Context) error {
		_, err := api.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &at.bucket, Key: &at.key})
		return s.explain(at, err)
	})
}

// list requests one page of the objects whose keys begin with at.key. next is nil at the end.
func (s *s3Service) list(ctx context.Context, at location, token *string,
	visit func(key string, size int64)) (next *string, err error) {
	api, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	err = s.client.sendEmpty(ctx, at.host, func(ctx context.Context) error {
		out, err := api.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &at.bucket, Prefix: &at.key,
			ContinuationToken: token})
		if err != nil {
			return s.explain(at, err)
		}
		for _, object := range out.Contents {
			visit(aws.ToString(object.Key), length(object.Size))
		}
		if aws.ToBool(out.IsTruncated) {
			next = out.NextContinuationToken
			switch {
			case next == nil:
				return permanent("the server says that there is more to be listed, and not how to ask for it")
			case token != nil && *next == *token:
				return permanent("the list that the server gives goes round in a circle")
			}
		}
		return nil
	})
	return next, err
}
