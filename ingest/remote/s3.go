package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// s3Service is the service of s3://. The AWS library finds credentials and signs requests. Rates and retries are those
// of Client.
type s3Service struct {
	client *Client
	http   *http.Client

	mu   sync.Mutex
	api  *s3.Client
	hint string // possible reason of a refusal
}

// credentialsTime limits the search for credentials that no option or variable names.
const credentialsTime = 10 * time.Second

// connect reads the configuration, once.
func (s *s3Service) connect(ctx context.Context) (*s3.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.api != nil {
		return s.api, nil
	}
	opts := s.client.opts.S3
	var cfg aws.Config
	if opts.Anonymous {
		cfg.Credentials, s.hint = aws.AnonymousCredentials{}, "it was asked anonymously"
	} else {
		var load []func(*config.LoadOptions) error
		if opts.Profile != "" {
			load = append(load, config.WithSharedConfigProfile(opts.Profile))
		}
		var err error
		if cfg, err = config.LoadDefaultConfig(ctx, load...); err != nil {
			return nil, permanentError{fmt.Errorf("the configuration of AWS cannot be read: %w", err)}
		}
		if err := s.credentials(ctx, &cfg); err != nil {
			return nil, err
		}
	}
	if opts.Region != "" {
		cfg.Region = opts.Region
	}
	if cfg.Region == "" {
		cfg.Region = DefaultRegion
	}
	cfg.Logger = nil // standard error is not the library's
	cfg.HTTPClient = s.http
	cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} } // Client retries
	cfg.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	// the signature has a checksum, and other services support no more
	cfg.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	var endpoint string // also that of AWS_ENDPOINT_URL_S3
	api := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.DisableLogOutputChecksumValidationSkipped = true
		if opts.Endpoint != "" {
			o.BaseEndpoint = aws.String(opts.Endpoint)
		}
		endpoint = aws.ToString(o.BaseEndpoint)
		o.UsePathStyle = endpoint != "" // few services have host names for buckets
	})
	if u, err := url.Parse(endpoint); err == nil && u.Scheme == "http" {
		if err := s.client.opts.allowed(u); err != nil {
			return nil, err
		}
	}
	s.api = api
	return s.api, nil
}

// credentials searches for credentials. Without any, requests are anonymous; with Options.Own that is an error.
func (s *s3Service) credentials(ctx context.Context, cfg *aws.Config) error {
	looking, cancel := context.WithTimeout(ctx, credentialsTime)
	defer cancel()
	_, err := cfg.Credentials.Retrieve(looking)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return nil
	case s.client.opts.S3.Profile != "":
		return permanentError{fmt.Errorf("the profile %q has no credentials that work: %w", s.client.opts.S3.Profile,
			err)}
	}
	if s.client.opts.Own {
		return permanent("no credentials for S3 were found where the AWS tools look for them: in the environment, " +
			"in ~/.aws and on the machine; --s3-profile names others, --s3-anonymous asks without any")
	}
	cfg.Credentials, s.hint = aws.AnonymousCredentials{}, "it was asked anonymously, since no credentials were found"
	return nil
}

func (s *s3Service) get(ctx context.Context, at location, q query) (*answer, error) {
	api, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	in := &s3.GetObjectInput{Bucket: &at.bucket, Key: &at.key}
	if !q.whole() {
		in.Range = aws.String(q.rangeHeader())
	}
	if q.of.etag != "" {
		in.IfMatch = &q.of.etag
	}
	var out *s3.GetObjectOutput
	idle, err := s.client.once(ctx, at.host, func(ctx context.Context) (err error) {
		out, err = api.GetObject(ctx, in)
		return s.explain(at, err)
	})
	if err != nil {
		var no *refusal
		if errors.As(err, &no) && no.status == http.StatusRequestedRangeNotSatisfiable {
			return s.beyond(ctx, at, q)
		}
		return nil, err
	}
	s.client.succeeded(at.host)
	a, err := answerOfS3(at, q, out)
	if err != nil {
		out.Body.Close()
		idle.end()
		return nil, err
	}
	a.body, a.idle = out.Body, idle
	return a, nil
}

// beyond answers a query that begins after the end of the object.
func (s *s3Service) beyond(ctx context.Context, at location, q query) (*answer, error) {
	v, err := s.head(ctx, at)
	if err != nil {
		return nil, err
	}
	if v.size < 0 || q.from < v.size {
		return nil, permanent("the server says that there is nothing at byte %d, and not how long the file is", q.from)
	}
	_, idle := s.client.withIdleTimer(ctx, at.host)
	idle.stop()
	return &answer{body: http.NoBody, idle: idle, from: q.from, length: -1, version: v}, nil
}

func (s *s3Service) head(ctx context.Context, at location) (version, error) {
	api, err := s.connect(ctx)
	if err != nil {
		return version{}, err
	}
	var out *s3.HeadObjectOutput
	idle, err := s.client.once(ctx, at.host, func(ctx context.Context) (err error) {
		out, err = api.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &at.bucket, Key: &at.key})
		return s.explain(at, err)
	})
	if err != nil {
		return version{}, err
	}
	idle.end()
	s.client.succeeded(at.host)
	if err := checkCoding(at.key, aws.ToString(out.ContentEncoding)); err != nil {
		return version{}, err
	}
	return versionOfS3(out.ETag, out.LastModified, length(out.ContentLength)), nil
}

func answerOfS3(at location, q query, out *s3.GetObjectOutput) (*answer, error) {
	if err := checkCoding(at.key, aws.ToString(out.ContentEncoding)); err != nil {
		return nil, err
	}
	n := length(out.ContentLength)
	if out.ContentRange == nil {
		return &answer{length: n, version: versionOfS3(out.ETag, out.LastModified, n)}, nil
	}
	from, to, size, err := contentRange(*out.ContentRange)
	switch {
	case err != nil:
		return nil, permanentError{err}
	case from != q.from || q.to >= 0 && to > q.to || n >= 0 && n != to-from:
		return nil, permanent("bytes from %d on were asked for, and the server sent %d bytes as %q", q.from, n,
			*out.ContentRange)
	}
	return &answer{from: from, length: to - from, version: versionOfS3(out.ETag, out.LastModified, size)}, nil
}

func length(n *int64) int64 {
	if n == nil {
		return -1
	}
	return *n
}

func versionOfS3(etag *string, modified *time.Time, size int64) version {
	v := version{etag: aws.ToString(etag), size: size}
	if modified != nil {
		v.modified = modified.UTC().Format(http.TimeFormat)
	}
	return v
}

// explain turns an error of the library into a refusal if the server sent a response.
func (s *s3Service) explain(at location, err error) error {
	var answered *awshttp.ResponseError
	if !errors.As(err, &answered) || answered.Response == nil || answered.HTTPStatusCode() < 300 {
		var sent *url.Error
		if errors.As(err, &sent) {
			return sent // no response
		}
		return err // one with a broken body
	}
	no := &refusal{name: at.name, host: at.host, status: answered.HTTPStatusCode(),
		after: answered.Response.Header.Get("Retry-After")}
	var api smithy.APIError
	if errors.As(err, &api) {
		no.code, no.detail = printable([]byte(api.ErrorCode())), printable([]byte(api.ErrorMessage()))
	}
	if no.code == strings.ReplaceAll(http.StatusText(no.status), " ", "") { // an answer without a body, as to HEAD
		no.code, no.detail = "", strings.TrimPrefix(no.detail, no.code)
	}
	switch region := answered.Response.Header.Get("X-Amz-Bucket-Region"); {
	case no.status == http.StatusPreconditionFailed:
		return fmt.Errorf("%w (it has another ETag now)", ErrChanged)
	case no.status == http.StatusMovedPermanently && region != "":
		no.detail = "the bucket is in the region " + printable([]byte(region)) + ": see --s3-region"
	case no.code == noBucket:
		no.detail = "there is no bucket " + at.bucket
	case no.status == http.StatusForbidden && s.refusalHint() != "":
		no.detail = strings.TrimSuffix(s.refusalHint()+"; "+no.detail, "; ")
	}
	return no
}

func (s *s3Service) refusalHint() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hint
}
