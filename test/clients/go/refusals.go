package main

import (
	"context"
	"errors"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

// The client's errors by the names that the specification has for them.
var names = map[error]string{
	a2a.ErrTaskNotFound:                 "TaskNotFoundError",
	a2a.ErrTaskNotCancelable:            "TaskNotCancelableError",
	a2a.ErrPushNotificationNotSupported: "PushNotificationNotSupportedError",
	a2a.ErrUnsupportedOperation:         "UnsupportedOperationError",
	a2a.ErrVersionNotSupported:          "VersionNotSupportedError",
	a2a.ErrInvalidParams:                "InvalidParamsError",
	a2a.ErrInvalidRequest:               "InvalidRequestError",
	a2a.ErrInternalError:                "InternalError",
	a2a.ErrServerError:                  "ServerError",
}

func nameOf(err error) string {
	if err == nil {
		return "no error"
	}
	for sentinel, name := range names {
		if errors.Is(err, sentinel) {
			return name
		}
	}
	return err.Error()
}

func (c *conversation) errors() (seen, error) {
	done, err := c.send("hello")
	if err != nil {
		return nil, err
	}
	_, unknown := c.get("task.unknown", nil)
	_, canceled := c.client.CancelTask(c.ctx, &a2a.CancelTaskRequest{ID: done.ID})
	_, sent := c.send("more", about(done.ID))
	_, streamed := follow(c.stream("more", about(done.ID)))
	_, subscribed := follow(c.client.SubscribeToTask(c.ctx, &a2a.SubscribeToTaskRequest{ID: done.ID}))
	_, listed := c.client.ListTasks(c.ctx, &a2a.ListTasksRequest{PageSize: 1000})
	_, versioned := c.client.GetTask(inVersion(c.ctx, "9.9"), &a2a.GetTaskRequest{ID: done.ID})
	return seen{
		"unknown":           nameOf(unknown),
		"cancelFinished":    nameOf(canceled),
		"sendFinished":      nameOf(sent),
		"streamFinished":    nameOf(streamed),
		"subscribeFinished": nameOf(subscribed),
		"pageSize":          nameOf(listed),
		"version":           nameOf(versioned),
	}, nil
}

type versionKey struct{}

func inVersion(ctx context.Context, version string) context.Context {
	return context.WithValue(ctx, versionKey{}, version)
}

// otherVersion claims to speak the version that inVersion named.
type otherVersion struct {
	a2aclient.PassthroughInterceptor
}

func (otherVersion) Before(ctx context.Context, req *a2aclient.Request) (context.Context, any, error) {
	if version, named := ctx.Value(versionKey{}).(string); named {
		req.ServiceParams[a2a.SvcParamVersion] = []string{version}
	}
	return ctx, nil, nil
}
